# Which system ai-jail is built for, and the source files that belong to one system alone. A file that
# is named in neither list is built on both. Names are below src/.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(AJ_SYSTEM linux)
elseif(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
  set(AJ_SYSTEM macos)
else()
  message(FATAL_ERROR "ai-jail builds on Linux and macOS, not on ${CMAKE_SYSTEM_NAME}")
endif()

# bubblewrap, Landlock, seccomp, the launcher, the mounter, and what they need.
set(AJ_LINUX_SOURCES
    base/file_time_linux.c
    base/memfd.c
    base/os_linux.c
    backend/landlock.c
    backend/overlay_apply.c
    backend/overlay_base.c
    backend/overlay_changes.c
    backend/overlay_copy.c
    backend/overlay_open.c
    backend/overlay_store.c
    backend/seccomp.c
    policy/elf.c
    pty/cgroup.c
    pty/cover.c
    pty/instep.c
    pty/instep_file.c
    pty/isolate.c
    pty/mounter.c
    pty/mounter_event.c
    pty/overlay.c
    pty/pidlimit.c
    pty/report_file.c
    pty/report_loss.c
    pty/report_send.c
    pty/session_mounter.c
    pty/session_state.c
    pty/spawn.c
    pty/start.c
    pty/userns.c
    pty/watch.c
    pty/watch_cover.c
    pty/watch_dir.c
    pty/watch_event.c
    pty/watch_git.c
    pty/watch_tree.c
    host_bwrap.c
    host_linux.c
    verbs/doctor_bwrap.c
    verbs/doctor_jail.c
    verbs/doctor_kernel.c
    verbs/overlay.c
    verbs/overlay_list.c)

# sandbox-exec, and the process that is the command's parent there.
set(AJ_MACOS_SOURCES
    base/file_time_macos.c
    base/os_macos.c
    backend/no_walls.c
    backend/overlay_open_macos.c
    host_macos.c
    host_sandbox_exec.c
    policy/elf_none.c
    pty/isolate_macos.c
    pty/keeper.c
    pty/keeper_command.c
    pty/keeper_mise.c
    pty/session_mounter_none.c
    pty/start_macos.c
    pty/traces.c
    verbs/doctor_macos.c
    verbs/overlay_none.c)

# aj_drop_other_system(LIST): without the files of the system that is not built for.
function(aj_drop_other_system list)
  set(other ${AJ_LINUX_SOURCES})
  if(AJ_SYSTEM STREQUAL "linux")
    set(other ${AJ_MACOS_SOURCES})
  endif()
  set(kept)
  foreach(file IN LISTS ${list})
    string(REPLACE "${PROJECT_SOURCE_DIR}/src/" "" name "${file}")
    if(NOT name IN_LIST other)
      list(APPEND kept "${file}")
    endif()
  endforeach()
  set(${list} ${kept} PARENT_SCOPE)
endfunction()

# aj_sources_of_macos(LIST): every C file that a Mac builds, for tests that have none.
function(aj_sources_of_macos list)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c ${PROJECT_SOURCE_DIR}/src/*/*.c)
  list(FILTER sources EXCLUDE REGEX "/backend/(launcher|seccomp_gen)[a-z_]*\\.c$")
  set(AJ_SYSTEM macos)
  aj_drop_other_system(sources)
  set(${list} ${sources} PARENT_SCOPE)
endfunction()
