// Archives as folders: members of tar, tar.gz, tar.zst and zip, in any order, cut at many places,
// with names that climb; and how much is decompressed for them.

#include "importers/common/ArchiveTree.h"
#include "importers/common/Source.h"
#include "importers/registry/Registry.h"
#include "importers/support/Compress.h"
#include "importers/support/MakeArchive.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <atomic>
#include <thread>

using namespace trainscope::importers;
using namespace trainscope::test;

namespace {

std::string numbers(unsigned seed, std::size_t bytes) {
    std::mt19937 random(seed);
    std::string text;
    while (text.size() < bytes)
        text += std::to_string(random()) + "\n";
    text.resize(bytes);
    return text;
}

// Counts what is read of the files below.
class CountingTree final : public SourceTree {
public:
    CountingTree(std::unique_ptr<SourceTree> inner, std::atomic<std::uint64_t>& count)
        : m_inner(std::move(inner))
        , m_count(count) { }
    [[nodiscard]] const std::vector<SourceFile>& files() const override { return m_inner->files(); }
    [[nodiscard]] trainscope::Result<std::unique_ptr<ByteStream>> openRaw(
        const std::string& path) const override {
        auto raw = m_inner->openRaw(path);
        if (!raw.hasValue())
            return raw;
        return std::unique_ptr<ByteStream>(
            std::make_unique<Counting>(std::move(raw).value(), m_count));
    }
    [[nodiscard]] std::string displayPath(const std::string& path) const override {
        return m_inner->displayPath(path);
    }

private:
    class Counting final : public ByteStream {
    public:
        Counting(std::unique_ptr<ByteStream> inner, std::atomic<std::uint64_t>& count)
            : m_inner(std::move(inner))
            , m_count(count) { }
        trainscope::Result<std::size_t> read(std::span<std::byte> buffer) override {
            auto got = m_inner->read(buffer);
            m_count += got.valueOr(0);
            return got;
        }
        trainscope::Result<std::uint64_t> skip(std::uint64_t count) override {
            return m_inner->skip(count);
        }
        [[nodiscard]] std::uint64_t bytesConsumed() const override {
            return m_inner->bytesConsumed();
        }

    private:
        std::unique_ptr<ByteStream> m_inner;
        std::atomic<std::uint64_t>& m_count;
    };

    std::unique_ptr<SourceTree> m_inner;
    std::atomic<std::uint64_t>& m_count;
};

QStringList pathsOf(const SourceTree& tree, bool withProblem = false) {
    QStringList paths;
    for (const SourceFile& file : tree.files()) {
        if (file.problem.empty() != withProblem)
            paths << QString::fromStdString(file.path);
    }
    return paths;
}

} // namespace

class tst_ArchiveTree : public QObject {
    Q_OBJECT

    static Members someMembers() {
        return {{"./run/rank1.json", numbers(1, 300'000)}, {"run/rank0.json", numbers(2, 200'001)},
            {"run/empty.csv", ""}, {"z.csv", "1,2\n"}};
    }
    static void forms() {
        QTest::addColumn<QByteArray>("stored");
        const auto add = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size()));
        };
        const std::string tar = tarOf(someMembers());
        add("tar", tar);
        add("tar.gz", gzipped(tar));
        add("tar.zst", zstded(tar));
        add("zip", zipOf(someMembers()));
    }

private Q_SLOTS:
    void membersAreFiles_data() { forms(); }
    void membersAreFiles() {
        QFETCH(QByteArray, stored);
        const auto tree
            = withArchives(memoryTree({{"a/data", stored.toStdString()}, {"other.csv", "3,4\n"}}));
        QCOMPARE(pathsOf(*tree).join(u' '),
            QStringLiteral(
                "a/data/run/empty.csv a/data/run/rank0.json a/data/run/rank1.json a/data/z.csv "
                "other.csv"));
        QCOMPARE(pathsOf(*tree, true), QStringList());
        QCOMPARE(tree->sizeOf("a/data/run/rank0.json"), std::uint64_t{200'001});
        // In both directions, and by several threads at once.
        const auto members = someMembers();
        const auto check = [&](std::size_t i) {
            return contentOf(*tree, "a/data/" + memberPath(members[i].first)) == members[i].second;
        };
        for (std::size_t i = 0; i < members.size(); ++i)
            QVERIFY(check(i));
        for (std::size_t i = members.size(); i-- > 0;)
            QVERIFY(check(i));
        std::atomic<int> right = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back(
                [&, t] { right += check(static_cast<std::size_t>(t) % 2) ? 1 : 0; });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(right.load(), 4);
        QCOMPARE(contentOf(*tree, "other.csv"), std::string("3,4\n"));
    }

    // Compressed members inside an archive are decompressed as compressed files are.
    void compressedMembers() {
        const auto tree = withArchives(
            memoryTree({{"a.tar", tarOf({{"r/rank0.json.gz", gzipped(numbers(5, 9'000))}})}}));
        QCOMPARE(contentOf(*tree, "a.tar/r/rank0.json.gz"), numbers(5, 9'000));
    }

    void anyOrderCostsLittle() {
        // 12 members of 1 MiB of digits, which gzip to about 0.45 of that.
        Members members;
        for (unsigned i = 0; i < 12; ++i)
            members.emplace_back("m" + std::to_string(i), numbers(i, std::size_t{1} << 20));
        const std::string stored = gzipped(tarOf(members));
        std::atomic<std::uint64_t> count = 0;
        const auto tree
            = withArchives(std::make_unique<CountingTree>(memoryTree({{"a.tgz", stored}}), count));
        const std::uint64_t listing = count.exchange(0);
        QVERIFY(listing < stored.size() + 300'000); // once, and its first block
        std::vector<std::size_t> order(members.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = (i * 7 + 5) % order.size();
        for (const std::size_t i : order)
            QVERIFY(contentOf(*tree, "a.tgz/" + members[i].first) == members[i].second);
        // Each costs itself, at most the 4 MiB between two points, and what is read ahead: 5 of 12
        // parts and a block. From the front it would be 6.5 parts on average.
        const double each = static_cast<double>(count) / 12.0;
        QVERIFY2(each < static_cast<double>(stored.size()) * 5.0 / 12.0 + 400'000.0,
            qPrintable(QString::number(each)));
        // A tar.zst read in its own order is decompressed once.
        count = 0;
        const std::string frame = zstded(tarOf(members));
        const auto inOrder
            = withArchives(std::make_unique<CountingTree>(memoryTree({{"a.tzst", frame}}), count));
        count = 0;
        for (const auto& [name, content] : members)
            QVERIFY(contentOf(*inOrder, "a.tzst/" + name) == content);
        QVERIFY2(count < 3 * frame.size(), qPrintable(QString::number(count.load())));
    }

    // Whatever the order, a member of a zip costs its own bytes: neither the directory of all of
    // them nor what lies before it.
    void membersOfAZipCostThemselves() {
        Members members;
        for (unsigned i = 0; i < 2'000; ++i)
            members.emplace_back("m" + std::to_string(i), numbers(i, 1'000));
        const std::string stored = zipOf(members);
        std::atomic<std::uint64_t> bytes = 0;
        const auto tree
            = withArchives(std::make_unique<CountingTree>(memoryTree({{"a.zip", stored}}), bytes));
        QVERIFY(bytes.exchange(0) < 3 * stored.size());
        for (std::size_t i = members.size(); i-- > 0;)
            QVERIFY(contentOf(*tree, "a.zip/" + members[i].first) == members[i].second);
        // A block of 128 KiB each at most; the directory alone has 100 kB.
        const std::uint64_t each = bytes / members.size();
        QVERIFY2(each <= (std::size_t{128} << 10) + 1024, qPrintable(QString::number(each)));
    }

    // A program that unpacks itself stands before its members; directories are no members, and the
    // names of a directory that lies are those of the members.
    void zipsOfAllKinds() {
        const Members members{{"d/", ""}, {"d/a.csv", "1,2\n"}, {"b.csv", "3,4\n"}};
        const std::string zip = zipOf(members);
        for (const std::string& before : {std::string(), "PK\3\4" + std::string(5'000, 'x')}) {
            const auto tree = withArchives(memoryTree({{"a.zip", before + zip}}));
            QCOMPARE(contentOf(*tree, "a.zip/b.csv"), std::string("3,4\n"));
            QCOMPARE(contentOf(*tree, "a.zip/d/a.csv"), std::string("1,2\n"));
        }
    }

    void namesStayInside() {
        QCOMPARE(memberPath("/etc/./passwd"), std::string("etc/passwd"));
        QCOMPARE(memberPath("a\\b//c"), std::string("a/b/c"));
        QCOMPARE(memberPath("../x"), std::string());
        QCOMPARE(memberPath("a/../../x"), std::string());
        QCOMPARE(memberPath("."), std::string());
        const auto tree
            = withArchives(memoryTree({{"a.tar", tarOf({{"../../secret", "x"}, {"fine", "y"}})}}));
        QCOMPARE(pathsOf(*tree), texts("a.tar/fine"));
        QCOMPARE(pathsOf(*tree, true), texts("a.tar/(member)"));
    }

    void linksAndDevicesAreNotRead() {
        for (const char type : {'1', '2', '3', '6'}) {
            const auto tree = withArchives(memoryTree({{"a.tar", tarOf({{"l", ""}}, type)}}));
            QCOMPARE(pathsOf(*tree), QStringList());
            QCOMPARE(pathsOf(*tree, true), texts("a.tar/l"));
        }
    }

    void cutShort_data() { forms(); }
    void cutShort() {
        QFETCH(QByteArray, stored);
        const auto members = someMembers();
        for (int part = 0; part < 16; ++part) {
            const auto size = static_cast<std::size_t>(stored.size()) * std::size_t(part) / 16;
            const auto tree
                = withArchives(memoryTree({{"a", stored.toStdString().substr(0, size)}}));
            for (const SourceFile& file : tree->files()) {
                const std::string text = contentOf(*tree, file.path);
                for (const auto& [name, content] : members) {
                    if (file.path == "a/" + memberPath(name) && !text.starts_with("error"))
                        QVERIFY(content.starts_with(text));
                }
            }
            QVERIFY(!tree->files().empty());
        }
    }

    void damageNamesTheMember() {
        std::string zip = zipOf(someMembers());
        zip[1'000] ^= 0x20; // within the first member
        const auto tree = withArchives(memoryTree({{"a.zip", zip}}));
        const std::string text = contentOf(*tree, "a.zip/run/rank1.json");
        QVERIFY2(
            text.find("member ./run/rank1.json") != std::string::npos, text.substr(0, 300).c_str());
        QCOMPARE(contentOf(*tree, "a.zip/z.csv"), std::string("1,2\n"));
    }

    void archivesInArchivesAreNotOpened() {
        const std::string inner = gzipped(tarOf({{"x", "1"}}));
        const auto tree = withArchives(memoryTree({{"a.tar", tarOf({{"b.tar.gz", inner}})}}));
        QCOMPARE(pathsOf(*tree), texts("a.tar/b.tar.gz"));
    }

    void tracesInArchivesArePlanned() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("traces.tar.gz")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const std::string trace = R"({"distributedInfo":{"rank":1,"world_size":2},"traceEvents":[)"
                                  R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,)"
                                  R"("tid":7,"args":{"device":0,"stream":7}}]})";
        const std::string stored = gzipped(tarOf({{"job/rank1.json", trace}}));
        file.write(stored.data(), static_cast<qint64>(stored.size()));
        file.close();
        const auto tree = openDiskTree(file.fileName().toStdString());
        QVERIFY(tree.hasValue());
        const auto plan = planImport(*tree.value(), {});
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{1});
        QCOMPARE(plan.value().units[0].path, std::string("traces.tar.gz/job/rank1.json"));
        QCOMPARE(plan.value().units[0].rank, std::optional(1));
    }

    // Sizes by `tar tvzf`.
    void realArchives() {
        const std::string real = trainscope::test::realFiles();
        if (real.empty())
            QSKIP("the real files are not beside the checkout");
        const auto et = openDiskTree(real + "/data/chakra_et/chakra_feeder_tests_trace.tar.gz");
        QVERIFY(et.hasValue());
        QCOMPARE(et.value()->files().size(), std::size_t{1});
        QCOMPARE(et.value()->files()[0].path,
            std::string("chakra_feeder_tests_trace.tar.gz/tests/data/chakra.0.et"));
        QCOMPARE(et.value()->files()[0].size, std::uint64_t{2'978'371});
        const auto json = openDiskTree(real + "/data/chakra_et/chakra_json_trace.tar.gz");
        QVERIFY(json.hasValue());
        QCOMPARE(json.value()->files().size(), std::size_t{2});
        QCOMPARE(json.value()->files()[0].size, std::uint64_t{4'938'448});
        QCOMPARE(
            contentOf(*json.value(), json.value()->files()[0].path).size(), std::size_t{4'938'448});
    }
};

TRAINSCOPE_TEST(tst_ArchiveTree)
#include "tst_ArchiveTree.moc"
