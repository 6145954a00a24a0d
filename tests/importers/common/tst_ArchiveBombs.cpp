// Small files that decompress to gibibytes: read up to a bound, then refused in a sentence.

#include "importers/common/ArchiveTree.h"
#include "importers/common/Source.h"
#include "importers/support/Compress.h"
#include "importers/support/MakeArchive.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope::importers;
using namespace trainscope::test;

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
        QVERIFY2(first.problem.find("250 times") != std::string::npos, first.problem.c_str());
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
        std::string sparse = tarOf({{"hole", ""}}, 'S');
        const auto put = [&sparse](std::size_t at, const char* octal) {
            sparse.replace(at, 12, std::string(octal) + '\0');
        };
        sparse.replace(257, 8, std::string("ustar  \0", 8)); // as GNU tar writes it
        put(124, "00000001000"); // the bytes that are there: 512,
        put(386, "77777776000"); // behind the hole,
        put(398, "00000001000");
        put(483, "77777777000"); // and what it is with the hole
        sparse.insert(512, std::string(512, 'x'));
        signTar(sparse);
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
};

TRAINSCOPE_TEST(tst_ArchiveBombs)
#include "tst_ArchiveBombs.moc"
