#include "importers/common/RunFolders.h"

#include "importers/common/TelemetryName.h"

#include <algorithm>
#include <charconv>

namespace trainscope::importers {

namespace {

struct KinetoFolder {
    std::string_view run; // the folder above
    long number = 0;
};

// "10_kineto" → 10.
std::optional<long> kinetoNumber(std::string_view name) {
    long number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const auto digits = static_cast<std::size_t>(end - name.data());
    if (error != std::errc{} || number < 0 || name.substr(digits) != "_kineto")
        return std::nullopt;
    return number;
}

// The nearest `<N>_kineto` folder above a file.
std::optional<KinetoFolder> kinetoFolderOf(std::string_view path) {
    while (!path.empty()) {
        path = folderPart(path);
        if (const auto number = kinetoNumber(namePart(path)))
            return KinetoFolder{folderPart(path), *number};
    }
    return std::nullopt;
}

} // namespace

std::string_view folderPart(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

std::string_view namePart(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

RunFolders::RunFolders(const SourceTree& tree)
    : m_rootName(namePart(tree.displayPath({}))) {
    for (const SourceFile& file : tree.files()) {
        const auto name = telemetryName(namePart(file.path));
        if (name && name->isKnown)
            m_telemetry.emplace(folderPart(file.path));
        if (const auto kineto = kinetoFolderOf(file.path)) {
            long& highest = m_kineto.try_emplace(std::string(kineto->run), 0).first->second;
            highest = std::max(highest, kineto->number);
        }
    }
}

std::optional<std::string> RunFolders::folderOf(std::string_view path) const {
    while (!path.empty()) {
        path = folderPart(path);
        if (m_telemetry.contains(path) || m_kineto.contains(path))
            return std::string(path);
    }
    return std::nullopt;
}

std::string RunFolders::nameOf(std::string_view folder) const {
    if (!folder.empty())
        return std::string(folder);
    return m_rootName.empty() ? "run" : m_rootName;
}

bool RunFolders::isSuperseded(std::string_view path) const {
    const auto kineto = kinetoFolderOf(path);
    if (!kineto)
        return false;
    const auto highest = m_kineto.find(kineto->run);
    return highest != m_kineto.end() && kineto->number < highest->second;
}

bool RunFolders::hasTelemetry(std::string_view folder) const {
    return m_telemetry.contains(folder);
}

bool isInside(std::string_view file, std::string_view folder) {
    return folder.empty()
        || (file.starts_with(folder) && file.size() > folder.size() && file[folder.size()] == '/');
}

} // namespace trainscope::importers
