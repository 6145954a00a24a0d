// Archives with changes, tar headers with their sums right again, as they are or compressed, or any
// bytes as an archive: no crash, no name that climbs, and members that end. The first byte says
// which.

#include "fuzz/Inputs.h"

#include "importers/common/ArchiveTree.h"
#include "importers/support/Compress.h"
#include "importers/support/MakeArchive.h"

#include <cstdlib>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

constexpr std::size_t kTarBlock = 512;
constexpr std::size_t kTarType = 156;
constexpr std::string_view kTarMark = "ustar"; // at 257, of the headers that are made here

std::string member(const std::string& name, const std::string& content, char type) {
    std::string tar = test::tarOf({{name, content}});
    tar.resize(tar.size() - 2 * kTarBlock);
    tar[kTarType] = type;
    return tar;
}

// "12 size=900\n", where the length counts itself.
std::string record(const std::string& text) {
    const std::size_t rest = text.size() + 2; // with the blank and the end of the line
    const std::size_t digits = rest + 2 > 99 ? 3 : rest + 1 > 9 ? 2 : 1;
    return std::to_string(rest + digits) + " " + text + "\n";
}

// Members of the kinds that a header has: files, folders, links, long names, sparse files, records.
std::string soundTar() {
    return member("run/a.csv", "1,2\n3,4\n", '0') + member("run", "", '5')
        + member("run/b.csv", "", '2') + member("././@LongLink", "run/long/c.csv", 'L')
        + member("run/short", "c", '0')
        + member("pax", record("path=run/d.csv") + record("size=3"), 'x')
        + member("run/x", "abc", '0')
        + member("pax2",
            record("GNU.sparse.size=8") + record("GNU.sparse.numblocks=1")
                + record("GNU.sparse.map=2,3") + record("GNU.sparse.name=run/e.csv"),
            'x')
        + member("run/y", "xyz", '0') + member("run/f.csv", "sparse", 'S')
        + std::string(2 * kTarBlock, '\0');
}

// The headers are where the sound ones were.
void signHeaders(std::string& tar) {
    for (std::size_t at = 0; at + kTarBlock <= tar.size(); at += kTarBlock) {
        if (tar.compare(at + 257, kTarMark.size(), kTarMark) != 0)
            continue;
        std::string header = tar.substr(at, kTarBlock);
        test::signTar(header);
        tar.replace(at, kTarBlock, header);
    }
}

std::string archiveOf(std::size_t choice, fuzz::Input input) {
    static const std::string tar = soundTar();
    static const std::string zip = test::zipOf(
        {{"run/a.csv", "1,2\n"}, {"run/b.json", "{}"}, {"run/c", std::string(40, 'x')}});
    std::string changed = fuzz::overwritten(choice == 1 ? zip : tar, input);
    if (choice > 1)
        signHeaders(changed);
    switch (choice) {
    case 0:
        return std::string(fuzz::textOf(input));
    case 2:
        return test::gzipped(changed);
    case 3:
        return test::zstded(changed);
    case 4: // an archive in an archive
        return test::gzipped(test::tarOf({{"run/in.tar", changed}}));
    case 5:
        return test::zstded(test::gzipped(std::string(fuzz::textOf(input))));
    default:
        return changed;
    }
}

void readAll(const SourceTree& tree) {
    std::vector<std::byte> block(65536);
    for (const SourceFile& file : tree.files()) {
        const auto stream = tree.open(file.path);
        if (!stream.hasValue())
            continue;
        for (int i = 0; i < 64; ++i) {
            const auto got = stream.value()->read(block);
            if (!got.hasValue() || got.value() == 0)
                break;
        }
    }
}

bool climbs(const std::string& path) {
    return path == ".." || path.starts_with("../") || path.starts_with('/')
        || path.find("/../") != std::string::npos || path.ends_with("/..");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const std::size_t choice = fuzz::takeChoice(input, 8);
    if (climbs(memberPath(fuzz::textOf(input))))
        std::abort();
    const auto tree = withArchives(memoryTree({{"a", archiveOf(choice, input)}}));
    for (const SourceFile& file : tree->files()) {
        if (climbs(file.path) && file.problem.empty())
            std::abort();
    }
    readAll(*tree);
    return 0;
}
