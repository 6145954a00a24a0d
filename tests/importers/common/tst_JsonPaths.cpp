// Objects of a JSON text by where they stand.

#include "importers/common/JsonCursor.h"
#include "importers/common/JsonPaths.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

struct PathsRead {
    std::vector<std::string> found; // "path place, outer: text"
    std::string problem;
    std::int64_t leftOut = 0;
};

PathsRead readPaths(const std::string& text, std::vector<std::string_view> paths) {
    const auto tree = memoryTree({{"a.json", text}});
    const auto stream = std::move(tree->open("a.json")).value();
    JsonPaths objects(*stream, std::move(paths));
    PathsRead read;
    while (true) {
        const auto next = objects.next();
        if (!next.hasValue())
            read.problem = next.error().message;
        if (!next.hasValue() || !next.value())
            break;
        read.found.push_back(std::to_string(next.value()->path) + ", "
            + std::to_string(next.value()->outer) + ": " + std::string(next.value()->text));
    }
    read.leftOut = objects.leftOut();
    return read;
}

} // namespace

class tst_JsonPaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void places();
    void textsThatLookAlike();
    void ends();
    void pathsAtAnyDepth();
    void leaves();
};

void tst_JsonPaths::places() {
    const auto read = readPaths(
        R"({"tool":[{"a":{"k":[{"x":1},{"y":{"z":2}}]},"b":{"n":1}},{"a":{"k":[{"x":3}]},"k":[{}]}]})",
        {"tool/a/k", "tool/b"});
    QCOMPARE(read.found,
        (std::vector<std::string>{
            R"(0, 0: {"x":1})", R"(0, 0: {"y":{"z":2}})", R"(1, 0: {"n":1})", R"(0, 1: {"x":3})"}));
    QVERIFY(read.problem.empty());
    // An object that is a member itself, and the whole.
    QCOMPARE(readPaths(R"({"b":{"n":1}})", {"b"}).found,
        (std::vector<std::string>{R"(0, -1: {"n":1})"}));
}

void tst_JsonPaths::textsThatLookAlike() {
    const auto read = readPaths(
        R"({"k":"[{\"k\":1}]","note":"}{\\","k\"k":[{}],"k":[{"s":"}]"},[{"deep":1}],5,"k"]})",
        {"k"});
    QCOMPARE(read.found, (std::vector<std::string>{R"(0, 0: {"s":"}]"})", R"(0, 0: {"deep":1})"}));
}

void tst_JsonPaths::ends() {
    const auto cut = readPaths(R"({"k":[{"a":1},{"b":)", {"k"});
    QCOMPARE(cut.found, (std::vector<std::string>{R"(0, 0: {"a":1})"}));
    VERIFY_SAYS(cut.problem, "ends inside");
    QVERIFY(!readPaths(std::string(1000, '['), {"k"}).problem.empty());
    QVERIFY(readPaths("]]}}", {"k"}).found.empty());
    const auto large = readPaths(
        "{\"k\":[{\"t\":\"" + std::string(JsonPaths::kLargest, 'x') + "\"},{}]}", {"k"});
    QCOMPARE(large.found, (std::vector<std::string>{"0, 1: {}"}));
    QCOMPARE(large.leftOut, std::int64_t{1});
}

// The text stops inside an object that is wanted, or inside the array around them alone.
void tst_JsonPaths::pathsAtAnyDepth() {
    const auto rest = [](std::string text) {
        const auto tree = memoryTree({{"a.json", std::move(text)}});
        const auto stream = std::move(tree->open("a.json")).value();
        JsonPaths objects(*stream, {"/result"}, JsonPaths::Outside::Given);
        std::string seen;
        while (true) {
            const auto next = objects.next();
            if (!next.hasValue())
                return seen + "|" + std::string(objects.cutOff().value_or("?"));
            if (!next.value())
                return seen;
            if (next.value()->path != JsonPaths::kOutside)
                seen += next.value()->text;
        }
    };
    QCOMPARE(rest(R"({"result":[{"a":1}]})"), std::string(R"({"a":1})"));
    QCOMPARE(
        rest(R"([{"x":{"data":{"result":[{"a":1},{"b":2}]}}}])"), std::string(R"({"a":1}{"b":2})"));
    QCOMPARE(rest(R"({"data":{"result":[{"a":1},{"b":[2,3)"), std::string(R"({"a":1}|{"b":[2,3)"));
    QCOMPARE(rest(R"([{"a":1},)"), std::string("|"));
    QCOMPARE(rest(R"({"noresult":[{"a":1}]})"), std::string());
}

// As far as they are there; a comma before a bracket and NaN are no damage.
void tst_JsonPaths::leaves() {
    const auto said = [](std::string text) {
        const std::size_t size = text.size();
        text.append(JsonScanner::kPadding, '\0');
        std::vector<JsonLeaf> leaves;
        const bool isWhole = JsonCursor(std::string_view(text).substr(0, size)).leaves(leaves);
        std::string all(isWhole ? "whole" : "part");
        for (const JsonLeaf& leaf : leaves) {
            all += " ";
            for (const std::string& step : leaf.path)
                all += "/" + step;
            all += "=" + leaf.text;
        }
        return all;
    };
    QCOMPARE(said(R"({"a":{"b":[1,"x\u0041",],"c":NaN},"d":null})"),
        std::string("whole /a/b/0=1 /a/b/1=xA /a/c=NaN /d=null"));
    QCOMPARE(said(R"({"a":[1.5,[]],"b":{},"c":"cu)"), std::string("part /a/0=1.5"));
    QCOMPARE(said(std::string(1'000'000, '[')), std::string("part"));
}

TRAINSCOPE_TEST(tst_JsonPaths)
#include "tst_JsonPaths.moc"
