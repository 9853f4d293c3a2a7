# cmake -DFOLDER=app/web -DOUT=pages.cpp -P embed_pages.cmake: the files of a folder as a source file, for app/server/pages.h.
file(GLOB_RECURSE names LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT names)
set(arrays "")
set(entries "")
set(number 0)
foreach(name ${names})
  file(READ ${FOLDER}/${name} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "const unsigned char kBytes${number}[] = {${bytes}0};\n")
  string(APPEND entries "    {\"${name}\", kBytes${number}, sizeof kBytes${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_pages.cmake from app/web.
#include \"app/server/pages.h\"

namespace wari {
namespace {

${arrays}
const EmbeddedPage kPages[] = {
${entries}};

}  // namespace

std::span<const EmbeddedPage> embedded_pages() { return kPages; }

}  // namespace wari
")
