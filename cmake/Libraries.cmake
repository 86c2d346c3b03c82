# The libraries of others, as targets aj::NAME.
#
# ai-jail is started all day, and every shared library costs a start as much as several mounts. So
# the small ones are taken from their archives where the distribution ships them; libc stays shared.
find_package(PkgConfig REQUIRED)

function(aj_external name module archive)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  add_library(aj_external_${name} INTERFACE)
  add_library(aj::${name} ALIAS aj_external_${name})
  if(AI_JAIL_STATIC_LIBS AND archive)
    find_library(${name}_ARCHIVE ${archive})
  endif()
  if(${name}_ARCHIVE)
    target_include_directories(aj_external_${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIRS})
    target_link_libraries(aj_external_${name} INTERFACE ${${name}_ARCHIVE} pthread dl)
  else()
    target_link_libraries(aj_external_${name} INTERFACE PkgConfig::${name})
  endif()
endfunction()

aj_external(uv "libuv>=1.44" libuv_a.a)
aj_external(vterm "vterm>=0.1.4" libvterm.a)
aj_external(jansson jansson libjansson.a)
aj_external(md libmd libmd.a)
if(AJ_SYSTEM STREQUAL "linux")
  aj_external(seccomp "libseccomp>=2.5" "") # of the build machine only
endif()

# Of OpenSSL the headers alone: what wants the library opens it while it runs (src/net/tls.c).
pkg_check_modules(openssl REQUIRED "openssl>=3")
add_library(aj_external_openssl INTERFACE)
add_library(aj::openssl ALIAS aj_external_openssl)
target_include_directories(aj_external_openssl SYSTEM INTERFACE ${openssl_INCLUDE_DIRS})
target_link_libraries(aj_external_openssl INTERFACE ${CMAKE_DL_LIBS})

# toml++ is taken as headers, not as the shared library that pkg-config would name. libstdc++ comes
# from its archive for the same reason as the others; a sanitizer wants its own arrangement.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(aj_external_tomlplusplus INTERFACE)
add_library(aj::tomlplusplus ALIAS aj_external_tomlplusplus)
target_include_directories(aj_external_tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
add_library(aj_external_cxx INTERFACE)
add_library(aj::cxx ALIAS aj_external_cxx)
if(AI_JAIL_STATIC_LIBS AND NOT AI_JAIL_SANITIZE)
  target_link_options(aj_external_cxx INTERFACE -static-libstdc++ -static-libgcc)
  # All that libstdc++'s from_chars() wants of libm is the rounding mode; the shared libm would cost a
  # start more than everything else of C++.
  find_library(LIBM_ARCHIVE libm.a)
  if(LIBM_ARCHIVE)
    target_link_options(aj_external_cxx INTERFACE LINKER:-u,fegetround LINKER:-u,fesetround)
    target_link_libraries(aj_external_cxx INTERFACE ${LIBM_ARCHIVE})
  endif()
endif()
