// gzip and zstd by content: whole, joined, cut at every byte, damaged, followed by garbage.

#include "importers/common/Source.h"
#include "importers/support/Compress.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using trainscope::test::gzipped;
using trainscope::test::zstded;

namespace {

struct Content {
    std::string text;
    bool failed = false;
    std::uint64_t consumed = 0;
};

Content readAll(const std::string& stored, std::size_t step) {
    const auto tree = memoryTree({{"f.dat", stored}});
    auto stream = tree->open("f.dat");
    Content content;
    if (!stream.hasValue()) {
        content.failed = true;
        return content;
    }
    std::vector<std::byte> block(step);
    while (true) {
        const auto count = stream.value()->read(block);
        content.consumed = stream.value()->bytesConsumed();
        content.failed = !count.hasValue();
        if (content.failed || count.value() == 0)
            return content;
        content.text.append(reinterpret_cast<const char*>(block.data()), count.value());
    }
}

std::string sampleText(int lines) {
    std::mt19937 random(7);
    std::string text;
    for (int i = 0; i < lines; ++i)
        text += std::to_string(1755000000 + i) + "," + std::to_string(random() % 700) + "\n";
    return text;
}

using Compressor = std::string (*)(const std::string&);
std::string gzip(const std::string& text) {
    return gzipped(text);
}
std::string zstd(const std::string& text) {
    return zstded(text);
}

} // namespace

Q_DECLARE_METATYPE(Compressor)

class tst_Decompress : public QObject {
    Q_OBJECT

    static void compressors() {
        const auto row = test::columns<Compressor>("compress");
        row("gzip", Compressor(gzip));
        row("zstd", Compressor(zstd));
    }

private Q_SLOTS:
    void plainBytesPass() {
        for (const std::string& text :
            {std::string(), std::string("a"), std::string("\x1f"), sampleText(99)}) {
            const Content content = readAll(text, 5);
            QVERIFY(!content.failed);
            QCOMPARE(content.text, text);
            QCOMPARE(content.consumed, text.size());
        }
    }

    void whole_data() { compressors(); }
    void whole() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(100000);
        const std::string stored = compress(text);
        QVERIFY(stored.size() < text.size());
        for (const std::size_t step : {std::size_t{1000}, std::size_t{1} << 20}) {
            const Content content = readAll(stored, step);
            QVERIFY(!content.failed);
            QVERIFY(content.text == text);
            QCOMPARE(content.consumed, stored.size());
        }
    }

    void emptyContent_data() { compressors(); }
    void emptyContent() {
        QFETCH(Compressor, compress);
        const Content content = readAll(compress({}), 100);
        QVERIFY(!content.failed);
        QVERIFY(content.text.empty());
    }

    void membersAreJoined_data() { compressors(); }
    void membersAreJoined() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(3000);
        const Content content
            = readAll(compress(text) + compress("x\n") + compress({}) + compress(text), 777);
        QVERIFY(!content.failed);
        QVERIFY(content.text == text + "x\n" + text);
    }

    void garbageBehindEndsQuietly_data() { compressors(); }
    void garbageBehindEndsQuietly() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(3000);
        const std::string fakeGzip("\x1f\x8b\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11);
        const std::string fakeZstd = "\x28\xb5\x2f\xfd" + std::string(40, '\xff');
        for (const std::string& garbage :
            {std::string(512, '\0'), std::string("garbage"), fakeGzip, fakeZstd}) {
            const Content content = readAll(compress(text) + garbage, 4096);
            QVERIFY(!content.failed);
            QVERIFY(content.text == text);
        }
    }

    void everyCutFailsAfterAPrefix_data() { compressors(); }
    void everyCutFailsAfterAPrefix() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(400);
        const std::string stored = compress(text);
        for (std::size_t length = 4; length < stored.size(); ++length) {
            const Content content = readAll(stored.substr(0, length), 1000);
            QVERIFY2(content.failed, qPrintable(QString::number(length)));
            QVERIFY(text.starts_with(content.text));
        }
    }

    void cutDeliversWhatItHas() {
        const std::string text = sampleText(100000);
        const std::string stored = gzipped(text);
        const Content content = readAll(stored.substr(0, stored.size() / 2), 1 << 16);
        QVERIFY(content.failed);
        QVERIFY(content.text.size() > text.size() / 3);
        QVERIFY(text.starts_with(content.text));
    }

    void damageNeverCrashes_data() { compressors(); }
    void damageNeverCrashes() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(500);
        const std::string stored = compress(text);
        std::mt19937 random(3);
        int failures = 0;
        for (int round = 0; round < 500; ++round) {
            std::string damaged = stored;
            damaged[4 + random() % (damaged.size() - 4)] ^= static_cast<char>(1 + random() % 255);
            failures += readAll(damaged, 4096).failed ? 1 : 0;
        }
        QVERIFY(failures > 300);
    }

    void longStreamsAreReadAhead_data() { compressors(); }
    void longStreamsAreReadAhead() {
        QFETCH(Compressor, compress);
        const std::string text = sampleText(600'000);
        const std::string stored = compress(text);
        const auto tree = memoryTree({{"f", stored}, {"cut", stored.substr(0, stored.size() - 9)}});
        const auto opened = tree->open("f");
        QVERIFY(opened.hasValue());
        ByteStream* const stream = opened.value().get();
        std::string got;
        std::uint64_t consumed = 0;
        std::vector<std::byte> block(100'003);
        for (;;) {
            const auto count = stream->read(block).value();
            // Never ahead of what was handed out by more than the blocks under way.
            QVERIFY(stream->bytesConsumed() >= consumed);
            consumed = stream->bytesConsumed();
            if (count == 0)
                break;
            got.append(reinterpret_cast<const char*>(block.data()), count);
        }
        QVERIFY(got == text);
        QCOMPARE(consumed, stored.size());
        QCOMPARE(stream->read(block).valueOr(7), std::size_t{0});
        const Content cut = readAll(stored.substr(0, stored.size() - 9), 1 << 16);
        QVERIFY(cut.failed);
        QVERIFY(text.starts_with(cut.text));
        QVERIFY(cut.text.size() > text.size() / 2);
    }

    void streamsCanBeLeftAnywhere() {
        const std::string text = sampleText(600'000);
        const auto tree = memoryTree({{"f", gzipped(text)}});
        for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{2} << 20}) {
            auto stream = tree->open("f");
            QVERIFY(stream.hasValue());
            QCOMPARE(stream.value()->skip(size).valueOr(0), std::uint64_t{size});
            std::array<std::byte, 20> block{};
            QCOMPARE(stream.value()->read(block).valueOr(0), block.size());
            QVERIFY(std::memcmp(block.data(), text.data() + size, block.size()) == 0);
        }
    }

    void skippingStopsAtTheEnd() {
        const auto tree = memoryTree({{"a", sampleText(50)}, {"b", gzipped(sampleText(50))}});
        const std::uint64_t size = sampleText(50).size();
        for (const char* path : {"a", "b"}) {
            auto stream = tree->open(path);
            QCOMPARE(stream.value()->skip(3).valueOr(0), std::uint64_t{3});
            QCOMPARE(stream.value()->skip(1'000'000).valueOr(0), size - 3);
            QCOMPARE(stream.value()->skip(5).valueOr(7), std::uint64_t{0});
        }
    }

    void headIsDecompressed() {
        const std::string text = sampleText(500);
        const auto tree = memoryTree({{"a", gzipped(text)}, {"b", zstded(text)}, {"c", text}});
        for (const char* path : {"a", "b", "c"})
            QCOMPARE(readHead(*tree, path, 100).valueOr({}), text.substr(0, 100));
        QVERIFY(!readHead(*tree, "d", 100).hasValue());
    }
};

TRAINSCOPE_TEST(tst_Decompress)
#include "tst_Decompress.moc"
