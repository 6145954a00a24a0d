// Lines out of every kind of text file.

#include "importers/common/FileLines.h"
#include "importers/support/BrokenTree.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

struct Lines {
    std::vector<std::string> text;
    bool failed = false;
    int cut = 0;
};

Lines readAll(const SourceTree& tree, const std::string& path) {
    Lines lines;
    auto stream = tree.open(path);
    if (!stream.hasValue()) {
        lines.failed = true;
        return lines;
    }
    LineReader reader(std::move(stream).value());
    while (true) {
        const auto line = reader.next();
        if (!line.hasValue()) {
            lines.failed = true;
            return lines;
        }
        if (!line.value())
            return lines;
        lines.text.emplace_back(*line.value());
        lines.cut += reader.lineWasCut() ? 1 : 0;
        if (reader.lineNumber() != static_cast<std::int64_t>(lines.text.size()))
            qFatal("wrong line number");
    }
}

Lines readText(const std::string& text) {
    return readAll(*memoryTree({{"f", text}}), "f");
}

std::string utf16(const std::u16string& text, bool littleEndian) {
    std::string bytes = littleEndian ? "\xFF\xFE" : "\xFE\xFF";
    for (const char16_t unit : text) {
        const char low = static_cast<char>(unit & 0xFF);
        const char high = static_cast<char>(unit >> 8);
        bytes.push_back(littleEndian ? low : high);
        bytes.push_back(littleEndian ? high : low);
    }
    return bytes;
}

} // namespace

class tst_LineReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lines_data() {
        const auto row
            = trainscope::test::columns<std::string, std::vector<std::string>>("text", "expected");
        using Text = std::vector<std::string>;
        row("empty", std::string(), Text{});
        row("LF", "a\nb\n", Text{"a", "b"});
        row("no end", "a\nb", Text{"a", "b"});
        row("CRLF and LF", "a\r\nb\nc\r\n", Text{"a", "b", "c"});
        row("blank lines", "\n\r\n\na\n\n", Text{"", "", "", "a", ""});
        row("BOM",
            "\xEF\xBB\xBF"
            "a\nb\n",
            Text{"a", "b"});
        row("short of a BOM", "\xEF\xBB", Text{"\xEF\xBB"});
        row("one byte", "x", Text{"x"});
        row("colours", "\x1b[38;2;180;60;0mgrad\x1b[39m 1\n\x1b[4mGPU0\x1b[0m\n",
            Text{"grad 1", "GPU0"});
        row("title and cut escape",
            "\x1b]0;title\x07"
            "a\n\x1b[3\nb\x1b",
            Text{"a", "", "b"});
        row("UTF-16LE", utf16(u"t, W\r\n35 °C\n", true), Text{"t, W", "35 °C"});
        row("UTF-16BE", utf16(u"a\n\u20AC", false), Text{"a", "\u20AC"});
        row("UTF-16 pair", utf16(u"\U0001F600\n", true), Text{"\U0001F600"});
        row("UTF-16 lone halves", utf16({u'a', char16_t{0xD800}, u'\n', char16_t{0xDC00}}, true),
            Text{"a\uFFFD", "\uFFFD"});
        row("UTF-16 cut", utf16(u"ab\ncd", true).substr(0, 11), Text{"ab", "c"});
    }
    void lines() {
        QFETCH(std::string, text);
        QFETCH(std::vector<std::string>, expected);
        const Lines lines = readText(text);
        QVERIFY(!lines.failed);
        QCOMPARE(lines.text, expected);
    }

    void manyBlocks() {
        std::string text;
        std::vector<std::string> expected;
        for (int i = 0; i < 200000; ++i) {
            expected.push_back(
                "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 17), 'x'));
            text += expected.back() + (i % 3 == 0 ? "\r\n" : "\n");
        }
        QCOMPARE(readText(text).text, expected);
    }

    void longLineIsCut() {
        const std::string longLine(3 * LineReader::kMaxLine + 12345, 'y');
        const Lines lines = readText("a\n" + longLine + "\nb\n");
        QCOMPARE(lines.text.size(), std::size_t{3});
        QCOMPARE(lines.text[1].size(), LineReader::kMaxLine);
        QCOMPARE(lines.text[2], std::string("b"));
        QCOMPARE(lines.cut, 1);
    }

    void longLastLineIsCut() {
        const Lines lines = readText(std::string(LineReader::kMaxLine + 1, 'y'));
        QCOMPARE(lines.text.size(), std::size_t{1});
        QCOMPARE(lines.text[0].size(), LineReader::kMaxLine);
        QCOMPARE(lines.cut, 1);
    }

    void brokenStreamGivesWholeLinesThenFails() {
        const trainscope::test::BrokenTree tree({{"f", "1,10\n2,20\n3,30\n"}}, 12);
        const Lines lines = readAll(tree, "f");
        QVERIFY(lines.failed);
        QCOMPARE(lines.text, (std::vector<std::string>{"1,10", "2,20"}));
    }
};

TRAINSCOPE_TEST(tst_LineReader)
#include "tst_LineReader.moc"
