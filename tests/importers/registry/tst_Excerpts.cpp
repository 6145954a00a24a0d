// Parts of long files: whole lines of the begin and of chosen places.

#include "importers/registry/Excerpts.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <zlib.h>

using namespace trainscope;
using namespace trainscope::importers;

namespace {

constexpr int kLines = 400'000;

// "line 0000000" and so on, 13 bytes each.
std::string numberedLines() {
    std::string text;
    for (int i = 0; i < kLines; ++i)
        text += fmt::format("line {:07}\n", i);
    return text;
}

std::string gzipped(const std::string& text) {
    z_stream stream{};
    deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string excerptOf(const std::string& content, Excerpts::Parts parts) {
    const auto tree = memoryTree({{"log.csv", content}});
    return readHead(Excerpts(*tree, std::move(parts)), "log.csv", std::size_t{1} << 30).valueOr({});
}

// The numbers of its lines, all of which are whole.
std::set<int> numbersIn(const std::string& text) {
    std::set<int> numbers;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.size() != 12 || !line.starts_with("line "))
            return {};
        numbers.insert(std::stoi(line.substr(5)));
    }
    return numbers;
}

} // namespace

class tst_Excerpts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 5.2 MB give three times 13,000 bytes, of 1,000 lines each.
    void beginMiddleAndEnd() {
        const auto numbers = numbersIn(excerptOf(numberedLines(), {13'000, {0.5, 1.0}}));
        QVERIFY(numbers.size() >= 2'996 && numbers.size() <= 3'000);
        QVERIFY(numbers.contains(0) && numbers.contains(900));
        QVERIFY(numbers.contains(200'000) && !numbers.contains(100'000));
        QVERIFY(numbers.contains(kLines - 1));
    }
    void whatIsShortStaysWhole() {
        QCOMPARE(excerptOf("a\nb", {13'000, {0.5}}), std::string("a\nb"));
    }
    // 130,000 bytes of the begin, then 64 KiB of each MiB, and the end.
    void compressedFilesAreThinned() {
        const auto numbers = numbersIn(excerptOf(gzipped(numberedLines()), {130'000, {0.5}}));
        QVERIFY(numbers.contains(0) && numbers.contains(9'990));
        QVERIFY(numbers.contains(kLines - 1));
        QVERIFY(numbers.size() > 25'000 && numbers.size() < 45'000);
    }
    void aDocumentIsNotCut() {
        std::string document = R"({"result": [)";
        for (int i = 0; i < 10'000; ++i)
            document += fmt::format("{}{}", i > 0 ? ", " : "", i);
        document += "]}";
        QCOMPARE(excerptOf(document, {1'000, {0.5}}).size(), document.size());
    }
};

TRAINSCOPE_TEST(tst_Excerpts)
#include "tst_Excerpts.moc"
