# SPDX-License-Identifier: BSD-3-Clause
# cmake -DOUTPUT=c -DFRAME=html -DLIST=html -DSTYLE=css... -DSCRIPT=js... -DOPERATORS=js... -P EmbedPage.cmake
# Writes a C file with the files of the pages as arrays. Files of one kind are joined in order. Also
# writes the hash of each array for the content security policy.

# "sha256-" and the hash in base64, computed here because CMake only gives hexadecimal.
function(policy_hash file result)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  file(SHA256 "${file}" hex)
  set(text "sha256-")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}0000" ${at} 6 part)
    math(EXPR bits "0x${part}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${bits} >> ${shift}) & 63")
      string(SUBSTRING "${digits}" ${digit} 1 letter)
      string(APPEND text "${letter}")
    endforeach()
  endforeach()
  # 32 bytes give 43 digits and one "=". The last digit above also includes padding.
  string(SUBSTRING "${text}" 0 50 text)
  set(${result} "${text}=" PARENT_SCOPE)
endfunction()

function(add_files name)
  set(joined "${OUTPUT}.${name}")
  file(WRITE "${joined}" "")
  foreach(file ${ARGN})
    file(READ "${file}" text)
    file(APPEND "${joined}" "${text}")
  endforeach()
  file(READ "${joined}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
  policy_hash("${joined}" hash)
  file(APPEND "${OUTPUT}.new"
    "const char rp_page_${name}[] = {\n${bytes}0};\n"
    "const char rp_page_${name}_hash[] = \"${hash}\";\n")
endfunction()

file(WRITE "${OUTPUT}.new" "")
add_files(frame ${FRAME})
add_files(list ${LIST})
add_files(style ${STYLE})
add_files(script ${SCRIPT})
add_files(operators ${OPERATORS})
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
