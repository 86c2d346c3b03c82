# What a Mac builds: checked file by file against a Mac's headers, and the driver run on Linux behind a
# stand-in for sandbox-exec.
aj_sources_of_macos(macos_sources)
list(JOIN macos_sources "\n" macos_lines)
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/sources.txt CONTENT "${macos_lines}\n")
# One compiler is enough for most days, and once is enough for both builds.
set(macos_compilers)
if(NOT AI_JAIL_SANITIZE)
  set(macos_compilers gcc)
endif()
if(AI_JAIL_COMPAT STREQUAL "all")
  set(macos_compilers gcc clang)
endif()
foreach(name IN LISTS macos_compilers)
  add_test(NAME macos.compile.${name}
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compile.py ${name}
      ${CMAKE_CURRENT_BINARY_DIR}/sources.txt ${PROJECT_SOURCE_DIR})
  set_tests_properties(macos.compile.${name} PROPERTIES LABELS macos TIMEOUT 1800)
endforeach()

# Files of macOS win over those of Linux, since a library's member is taken only for what is missing.
set(driver_sources)
foreach(source IN LISTS AJ_MACOS_SOURCES)
  if(NOT source MATCHES "^(base/(os|file_time)_macos|backend/overlay_open_macos|host_macos|policy/elf_none)\\.c$")
    list(APPEND driver_sources ${PROJECT_SOURCE_DIR}/src/${source})
  endif()
endforeach()
foreach(source IN LISTS macos_sources)
  if(source MATCHES "/src/(verbs/)?[a-z_]+\\.c$" AND NOT source MATCHES "/src/(host|host_macos|host_sandbox_exec|sanitizer)\\.c$")
    list(APPEND driver_sources ${source})
  endif()
endforeach()
list(REMOVE_DUPLICATES driver_sources)
add_executable(ai-jail-seatbelt-test ${driver_sources} driver_host.c)
target_link_libraries(ai-jail-seatbelt-test PRIVATE aj_hardened aj_pty aj_host aj_config aj_policy
                      aj_backend aj_filter)
add_executable(sandbox-exec-standin sandbox_exec.c)
target_link_libraries(sandbox-exec-standin PRIVATE aj_flags)
if(NOT AI_JAIL_SANITIZE)
  add_test(NAME macos.link
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/link.py
      ${CMAKE_CURRENT_BINARY_DIR}/sources.txt ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(macos.link PROPERTIES LABELS macos TIMEOUT 900)
endif()
add_test(NAME macos.driver
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/test_driver.py)
set_tests_properties(macos.driver PROPERTIES LABELS macos TIMEOUT 1800 SKIP_RETURN_CODE 77
  ENVIRONMENT "AI_JAIL=$<TARGET_FILE:ai-jail-seatbelt-test>;AI_JAIL_STANDIN=$<TARGET_FILE:sandbox-exec-standin>")
