#pragma once
// Archives of a tree as folders: the members of tar files (plain, gzip, zstd) and zip files are
// files of the tree, "a.tar.gz/run/rank0.json", decompressed as they are read and never unpacked to
// disk. An archive is told by its content; archives inside archives are files like others.
//
// A compressed tar is decompressed once to list it. After that a member of a tar.gz costs its own
// bytes and half the distance of RestartPoints (Decompress.h) before them. zstd cannot be entered
// in the middle: members of a tar.zst are kept in memory while it is listed, compressed each for
// itself, up to 192 MiB; one beyond costs all that lies before it, unless it is read behind the
// last one. Members with names that climb ("..") are listed with that as their problem, as is the
// place where an archive is damaged. A member that decompresses to more than Decompress.h allows,
// or all of them together, is not read further.

#include "importers/common/Source.h"

namespace trainscope::importers {

std::unique_ptr<SourceTree> withArchives(std::unique_ptr<SourceTree> inner);
// The same; Cancelled by the progress, in bytes of the archive that is listed, which is asked
// by what is made of it.
Result<std::unique_ptr<SourceTree>> withArchives(
    std::unique_ptr<SourceTree> inner, const Progress& progress);

// "run/rank0.json" of "./run//rank0.json"; empty for names that climb or name nothing.
std::string memberPath(std::string_view stored);

} // namespace trainscope::importers
