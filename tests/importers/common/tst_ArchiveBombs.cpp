// Small files that decompress to gibibytes: read up to a bound, then refused in a sentence.

#include "importers/common/ArchiveTree.h"
#include "importers/common/Source.h"
#include "importers/support/Compress.h"
#include "importers/support/MakeArchive.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

struct Made {
    std::uint64_t bytes = 0; // by all
    int refused = 0;
    int others = 0;
};

// Reads each file to its end.
Made readAll(const SourceTree& tree) {
    Made made;
    std::vector<std::byte> block(1 << 20);
    for (const SourceFile& file : tree.files()) {
        const auto stream = tree.open(file.path);
        if (!stream.hasValue())
            continue;
        auto got = stream.value()->read(block);
        for (; got.valueOr(0) > 0; got = stream.value()->read(block))
            made.bytes += got.value();
        const bool isRefused
            = !got.hasValue() && got.error().message.find("250 times") != std::string::npos;
        ++(isRefused ? made.refused : made.others);
    }
    return made;
}

constexpr std::uint64_t kAtMost = (std::uint64_t{1} << 30) + (std::uint64_t{64} << 20);

std::string manySparse() {
    std::string tar = tarOf({{"first.csv", "1"}}).substr(0, 1024);
    for (int i = 0; i < 8; ++i)
        tar += sparseMember("hole" + std::to_string(i));
    return tar + std::string(1024, '\0');
}

} // namespace

class tst_ArchiveBombs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A gibibyte of zeros is about a megabyte in gzip, and no recording.
    void bombsAreBounded() {
        const std::string block = gzipped(std::string(std::size_t{64} << 20, '\0'));
        std::string bomb = gzipped(tarOf({{"a", "1"}}).substr(0, 1024));
        Members huge{{"zeros", ""}};
        std::string header = tarOf(huge).substr(0, 512);
        header.replace(124, 11, "77777777777"); // 8 GiB
        signTar(header);
        bomb += gzipped(header);
        for (int i = 0; i < 24; ++i)
            bomb += block;
        const auto tree = withArchives(memoryTree({{"a.tgz", bomb}}));
        QCOMPARE(contentOf(*tree, "a.tgz/a"), std::string("1"));
        QVERIFY(tree->files().back().problem.empty());
        const auto& first = tree->files().front();
        VERIFY_SAYS(first.problem, "250 times");
    }

    // A file by itself, in gzip and in zstd, and a hole of 8 GiB in a tar of a kilobyte.
    void everyReadingIsBounded() {
        const std::string zeros(std::size_t{64} << 20, '\0');
        std::string gz;
        std::string zst;
        const std::string gzBlock = gzipped(zeros);
        const std::string zstBlock = zstded(zeros);
        for (int i = 0; i < 18; ++i) {
            gz += gzBlock;
            zst += zstBlock;
        }
        const std::string sparse = sparseMember("hole") + std::string(1024, '\0');
        const auto tree
            = withArchives(memoryTree({{"a.csv.gz", gz}, {"b.csv.zst", zst}, {"c.tar", sparse}}));
        for (const char* path : {"a.csv.gz", "b.csv.zst", "c.tar/hole"}) {
            const auto stream = tree->open(path);
            QVERIFY2(stream.hasValue(), path);
            std::vector<std::byte> block(1 << 20);
            std::uint64_t made = 0;
            std::string said;
            for (int reads = 0; reads < 5000 && said.empty(); ++reads) {
                const auto got = stream.value()->read(block);
                said = got.hasValue() ? std::string() : got.error().describe();
                made += got.valueOr(0);
                if (got.hasValue() && got.value() == 0)
                    break;
            }
            QVERIFY2(said.find("250 times") != std::string::npos, (path + said).c_str());
            QVERIFY(made < (std::uint64_t{1} << 30) + (std::uint64_t{32} << 20));
        }
    }

    // 8 holes of 8 GiB: together a gibibyte is read of them, and the file before them.
    void sparseMembersAreBoundedTogether() {
        const std::string tar = manySparse();
        for (const std::string& stored : {tar, gzipped(tar), zstded(tar)}) {
            const auto tree = withArchives(memoryTree({{"a", stored}}));
            QCOMPARE(tree->files().size(), std::size_t{9});
            const Made made = readAll(*tree);
            QVERIFY2(made.bytes < kAtMost, qPrintable(QString::number(made.bytes)));
            QCOMPARE(made.refused, 8);
            // A file that was read once can be read again.
            QCOMPARE(contentOf(*tree, "a/first.csv"), std::string("1"));
        }
    }

    // Listing a tar.zst keeps its members, which makes much of little.
    void holesCanBeStopped() {
        int asked = 0;
        const auto tree = withArchives(memoryTree({{"a.tar.zst", zstded(manySparse())}}),
            [&asked](const trainscope::ProgressState&) { return ++asked < 20; });
        QVERIFY(!tree.hasValue());
        QVERIFY(tree.error().code == trainscope::ErrorCode::Cancelled);
        QCOMPARE(asked, 20);
    }

    // 60 members of 32 MiB in the bytes of one.
    void overlappingMembersAreBoundedTogether() {
        const std::string zip = overlappingZip(60, std::string(std::size_t{32} << 20, '\0'));
        QVERIFY(zip.size() < 50'000);
        const auto tree = withArchives(memoryTree({{"a.zip", zip}}));
        QCOMPARE(tree->files().size(), std::size_t{60});
        const Made made = readAll(*tree);
        QVERIFY2(made.bytes < kAtMost, qPrintable(QString::number(made.bytes)));
        QVERIFY(made.bytes > (std::uint64_t{1} << 29));
        QVERIFY2(made.refused > 20, qPrintable(QString::number(made.refused)));
    }

    // Each by itself is allowed.
    void compressedMembersAreBoundedTogether() {
        std::string log;
        for (int i = 0; i < 8; ++i)
            log += zstded(std::string(std::size_t{64} << 20, '\0'));
        const auto tree = withArchives(memoryTree(
            {{"a.tar", tarOf({{"a.zst", log}, {"b.zst", log}, {"c.zst", log}, {"d.zst", log}})}}));
        const Made made = readAll(*tree);
        QVERIFY2(made.bytes < kAtMost, qPrintable(QString::number(made.bytes)));
        QCOMPARE(made.others, 2);
        QCOMPARE(made.refused, 2);
    }
};

TRAINSCOPE_TEST(tst_ArchiveBombs)
#include "tst_ArchiveBombs.moc"
