# SPDX-License-Identifier: BSD-3-Clause
# Runs when a bundle is installed. Copies the licence of each bundled third-party library, and the
# texts to which the licence refers, from the distribution. The wheel's test fails if a licence is
# missing; a local build only warns.
set(bundle "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(licenses "${bundle}/share/assay/licenses")

# packages of Debian and Ubuntu, or of rpm as in the containers that build wheels
function(find_texts library found)
  execute_process(COMMAND dpkg-query -S "*/${library}" OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    execute_process(COMMAND rpm -q --whatprovides --qf "%{NAME}" "${library}()(64bit)"
      OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE failed)
  endif()
  string(REGEX MATCH "^[^:\n]+" package "${owner}")
  file(GLOB texts "/usr/share/doc/${package}/copyright" "/usr/share/licenses/${package}/*")
  if(failed)
    set(texts "")
  endif()
  set(${found} "${texts}" PARENT_SCOPE)
endfunction()

function(copy_texts library texts)
  foreach(text IN LISTS texts)
    get_filename_component(name "${text}" NAME)
    file(COPY "${text}" DESTINATION "${licenses}/${library}" FOLLOW_SYMLINK_CHAIN)
    file(READ "${text}" words)
    string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" referred "${words}")
    list(REMOVE_DUPLICATES referred)
    foreach(path IN LISTS referred)
      if(EXISTS "${path}")
        get_filename_component(path "${path}" REALPATH)
        file(COPY "${path}" DESTINATION "${licenses}")
      endif()
    endforeach()
  endforeach()
endfunction()

file(GLOB bundled "${bundle}/lib/assay/foreign/*.so*")
foreach(path IN LISTS bundled)
  get_filename_component(library "${path}" NAME)
  find_texts("${library}" texts)
  if(texts)
    copy_texts("${library}" "${texts}")
  else()
    message(WARNING "no licence of ${library} was found; do not publish this bundle")
  endif()
endforeach()
