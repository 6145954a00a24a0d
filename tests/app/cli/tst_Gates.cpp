// `compare --gate` on databases in which the change is planted: lines, JSON, JUnit XML, statuses.

#include "core/analysis/comparison/PlantedPair.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QXmlStreamReader>

using namespace trainscope::test;

namespace {

PlantedSide sideOf(const char* name, double stepS, double watts = 500.0) {
    PlantedSide side = largeSide();
    side.name = name;
    side.stepS = stepS;
    side.stepNoiseS = 0.005;
    side.watts = watts;
    side.seed = static_cast<unsigned>(std::string_view(name).size());
    return side;
}

// Names of elements, each with its attributes.
std::vector<std::string> elementsOf(const QByteArray& xml) {
    QXmlStreamReader reader(xml);
    std::vector<std::string> all;
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement)
            continue;
        const auto of = [&reader](const char* key) {
            return reader.attributes().value(QLatin1String(key)).toString().toStdString();
        };
        all.push_back(reader.name().toString().toStdString() + " " + of("classname") + " "
            + of("name") + of("message"));
    }
    if (reader.hasError())
        qWarning("%s", qPrintable(reader.errorString()));
    return reader.hasError() ? std::vector<std::string>() : all;
}

} // namespace

class tst_Gates : public QObject {
    Q_OBJECT

    test::Fixture m_fixture;
    QTemporaryDir m_folder;

    Ran gated(std::vector<std::string> more, const char* run = "slower") {
        std::vector<std::string> arguments{
            "compare", m_fixture.path.string(), "--run", "base", "--run", run};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return runCli(arguments);
    }

private Q_SLOTS:
    void initTestCase() {
        auto store = m_fixture.create();
        plant(store, sideOf("base", 2.0));
        plant(store, sideOf("slower", 2.1)); // 5 %
        plant(store, sideOf("hungrier", 2.0, 520.0)); // 4 %
        PlantedSide other = sideOf("other <job> & \"batch\"", 2.0);
        other.launch.globalBatch = 32;
        plant(store, other);
        PlantedSide empty = sideOf("oom", 2.0);
        empty.status = RunStatus::Oom;
        plant(store, empty);
    }

    void passed() {
        const Ran ran = gated({"--gate", "step_time<=+6%", "--gate", "energy<=+6%", "--gate",
            "gpu_temperature.max<=+3", "--gate", "step_time>=+4%"});
        QVERIFY2(ran.status == 0, (ran.out + ran.err).c_str());
        QCOMPARE(std::ranges::count(ran.out, '\n'), 4);
        VERIFY_SAYS(ran.out, "passed: step_time<=+6% (slower): 2 s to 2.1 s, +");
        VERIFY_SAYS(ran.out, "passed: gpu_temperature.max<=+3 (slower): 60 °C to 60 °C");
    }

    void failed() {
        const Ran ran = gated({"--gate", "step_time<=+4%", "--gate", "energy<=+3%"}, "hungrier");
        QCOMPARE(ran.status, 5);
        VERIFY_SAYS(ran.out, "passed: step_time<=+4%");
        VERIFY_SAYS(ran.out, "failed: energy<=+3%");
    }

    // The planted change itself lies within ±; and nothing was traced.
    void cannotTell() {
        QCOMPARE(gated({"--gate", "step_time<=+5%"}).status, 7);
        const Ran ran = gated({"--gate", "exposed<=+1%"});
        QCOMPARE(ran.status, 7);
        VERIFY_SAYS(ran.out, "cannot tell: exposed<=+1% (slower): base: ");
        QCOMPARE(gated({"--gate", "step_time<=+5%", "--gate", "step_time<=+1%"}).status, 5);
    }

    void notComparable() {
        const char* const name = "other <job> & \"batch\"";
        const std::string file = test::pathIn(m_folder, "other.xml");
        const Ran ran = gated({"--gate", "step_time<=+50%", "--junit", file}, name);
        QCOMPARE(ran.status, 6);
        VERIFY_SAYS(ran.out,
            "not comparable: step_time<=+50% (other <job> & \"batch\"): Not the same "
            "job: Global batch 16 and 32.");
        const auto elements = elementsOf(contentOf(file));
        QCOMPARE(elements.size(), 3U);
        QCOMPARE(elements[1], std::string("testcase ") + name + " against base step_time<=+50%");
        VERIFY_SAYS(elements[2], "error  Not the same job");
        QCOMPARE(gated({"--gate", "step_time<=+50%"}, "oom").status, 6);
    }

    void inFiles() {
        const std::string file = test::pathIn(m_folder, "gates.xml");
        const Ran ran = gated({"--gate", "step_time<=+6%", "--gate", "step_time<=+1%", "--gate",
            "exposed<=+1%", "--junit", file, "--json"});
        QCOMPARE(ran.status, 5);
        const auto gates = ran.json()["gates"];
        QCOMPARE(gates.size(), 3U);
        QCOMPARE(gates[0]["result"], "passed");
        QCOMPARE(gates[0]["quantity"], "step_time_s");
        QCOMPARE(gates[0]["run"], "slower");
        QCOMPARE(gates[1]["result"], "failed");
        QCOMPARE(gates[2]["result"], "cannot_tell");
        QVERIFY(!gates[2].contains("a"));
        QVERIFY(ran.json()["runs"].size() == 2); // the comparison is there as ever
        const auto elements = elementsOf(contentOf(file));
        QCOMPARE(elements.size(), 7U);
        QCOMPARE(elements[1], std::string("testcase slower against base step_time<=+6%"));
        QCOMPARE(elements[2].substr(0, 10), std::string("system-out"));
        QCOMPARE(elements[4].substr(0, 7), std::string("failure"));
        QCOMPARE(elements[6].substr(0, 7), std::string("skipped"));
    }

    void wrongUse() {
        const Ran unknown = gated({"--gate", "steptime<=+2%"});
        QCOMPARE(unknown.status, 2);
        VERIFY_SAYS(unknown.err, "step_time");
        QCOMPARE(gated({"--gate", "step_time"}).status, 2);
        QCOMPARE(gated({"--junit", "x.xml"}).status, 2); // without a gate
        QCOMPARE(gated({"--gate", "step_time<=+2%", "--list"}).status, 2);
        QCOMPARE(gated({"--gate", "step_time<=+2%"}, "base").status, 2); // the same run twice
        QCOMPARE(gated({"--gate", "step_time<=+6%", "--junit", "/nowhere/x.xml"}).status, 3);
    }
};

TRAINSCOPE_TEST(tst_Gates)
#include "tst_Gates.moc"
