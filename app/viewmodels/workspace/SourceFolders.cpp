#include "app/viewmodels/workspace/SourceFolders.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace trainscope::app {

namespace {

using Path = std::filesystem::path;

// "a/b" without a slash behind it.
Path tidied(const std::string& text) {
    const Path path = Path(text).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

Path commonFolder(const Path& a, const Path& b) {
    Path common;
    auto at = a.begin();
    for (auto other = b.begin(); at != a.end() && other != b.end() && *at == *other; ++other)
        common /= *at++;
    return common;
}

struct SourcePlace {
    Path folder; // contains all sources
    int sources = 0;
};

} // namespace

std::map<RunId, std::string> sourceFolders(
    const std::vector<std::pair<RunId, std::string>>& sourcePaths) {
    std::map<RunId, SourcePlace> places;
    for (const auto& [run, text] : sourcePaths) {
        const Path folder = tidied(text).parent_path();
        SourcePlace& place = places[run];
        place.folder = place.sources++ == 0 ? folder : commonFolder(place.folder, folder);
    }
    std::map<Path, int> users;
    for (const auto& [run, place] : places)
        ++users[place.folder];
    std::map<RunId, std::string> folders;
    for (const auto& [run, place] : places) {
        const bool isItsOwn = place.sources > 1 && users[place.folder] == 1;
        folders[run] = (isItsOwn ? place.folder.parent_path() : place.folder).string();
    }
    return folders;
}

} // namespace trainscope::app
