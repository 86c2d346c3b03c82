# Warnings, hardening and sanitizers, as one interface library that every target links.
include(CheckCCompilerFlag)
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

add_library(aj_flags INTERFACE)
target_compile_definitions(aj_flags INTERFACE _GNU_SOURCE AI_JAIL_VERSION="${PROJECT_VERSION}")
target_include_directories(aj_flags INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/src)

set(aj_wanted
    -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla -Wformat=2
    -Wimplicit-fallthrough
    -fno-strict-aliasing -fno-common -fstack-protector-strong -fstack-clash-protection
    -fcf-protection -ftrivial-auto-var-init=zero)
if(AI_JAIL_WERROR)
  list(APPEND aj_wanted -Werror)
endif()
set(aj_wanted_c -Wstrict-prototypes -Wmissing-prototypes)
set(aj_wanted_cxx -Wmissing-declarations -fno-exceptions -fno-rtti)

# aj_probe_flags(TARGET C|CXX FLAG...): the flags that the compiler of the language knows.
function(aj_probe_flags target language)
  foreach(flag IN LISTS ARGN)
    string(MAKE_C_IDENTIFIER "AJ_${language}_HAS${flag}" known)
    if(language STREQUAL "C")
      check_c_compiler_flag(${flag} ${known})
    else()
      check_cxx_compiler_flag(${flag} ${known})
    endif()
    if(${known})
      target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:${language}>:${flag}>)
    endif()
  endforeach()
endfunction()

aj_probe_flags(aj_flags C ${aj_wanted} ${aj_wanted_c})
aj_probe_flags(aj_flags CXX ${aj_wanted} ${aj_wanted_cxx})

# Flags that only suit the dynamically linked programs.
add_library(aj_hardened INTERFACE)
target_link_libraries(aj_hardened INTERFACE aj_flags)
if(AI_JAIL_SANITIZE)
  target_compile_options(aj_hardened INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(aj_hardened INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(aj_hardened INTERFACE AI_JAIL_SANITIZED=1)
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(aj_hardened INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
target_compile_options(aj_hardened INTERFACE -fPIE)
foreach(flag -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed)
  string(MAKE_C_IDENTIFIER "AJ_LINKS${flag}" known)
  check_linker_flag(C ${flag} ${known})
  if(${known})
    target_link_options(aj_hardened INTERFACE ${flag})
  endif()
endforeach()
target_link_options(aj_hardened INTERFACE -pie)
