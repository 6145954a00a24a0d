// "Connect…" as the window drives it, against a simulated engine behind HTTP.

#include "app/engine/FakeServer.h"
#include "app/viewmodels/importing/ConnectController.h"
#include "core/store/RunLinks.h"
#include "core/store/Store.h"
#include "support/SimulatedEngine.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using namespace trainscope::test;

namespace {

SimulatedEngine::Labels gpu(const char* metric, int index) {
    return {{"__name__", metric}, {"Hostname", "n1"}, {"gpu", std::to_string(index)},
        {"UUID", "GPU-" + std::to_string(index)}, {"job", "dcgm"}};
}

} // namespace

class tst_Connect : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_engine.clear();
        m_delay = 0;
        m_asked = 0;
        for (int index = 0; index < 4; ++index) {
            m_engine.add(gpu("DCGM_FI_DEV_POWER_USAGE", index), 1'795'341'600'000, 1000, 60,
                [index](int i) { return 100 * index + i; });
            m_engine.add(
                gpu("my_watts", index), 1'795'341'600'000, 1000, 60, [](int) { return 7; });
        }
        m_server = std::make_unique<FakeServer>([this](const Asked& asked) -> Answered {
            ++m_asked;
            auto answer = m_engine.ask(asked.path, asked.parameters);
            return {answer.status, QByteArray::fromStdString(answer.body), {}, m_delay, -1};
        });
    }
    void cleanup() { m_server.reset(); }
    void looksAndLinks() {
        ConnectController controller;
        set(controller);
        QVERIFY(controller.canStart() && !controller.isFound());
        controller.ask();
        QVERIFY(controller.isBusy());
        QTRY_VERIFY(!controller.isBusy());
        QCOMPARE(controller.errorText(), QString());
        QVERIFY2(controller.foundText().startsWith(QLatin1String("4 GPU")),
            qPrintable(controller.foundText()));
        // One is known, the other is not.
        QCOMPARE(controller.metrics()->count(), 2);
        QCOMPARE(controller.metrics()->at(0, "metric").toString(), QStringLiteral("gpu_power"));
        QCOMPARE(controller.metrics()->at(1, "metric").toString(), QString());
        QSignalSpy imported(&controller, &ConnectController::imported);
        QSignalSpy done(&controller, &ConnectController::done);
        controller.start();
        QTRY_COMPARE(done.count(), 1);
        QCOMPARE(imported.first().at(1).toStringList(), texts("job"));
        const auto store = store::Store::open(
            controller.said("target").toStdString(), store::OpenMode::ReadOnly);
        const auto links = store::runLinks(store.value()).value();
        QCOMPARE(links.size(), std::size_t{1});
        QCOMPARE(links.front().where, m_server->url());
    }
    void copiesWhatWasNamed() {
        ConnectController controller;
        set(controller);
        controller.say(
            QStringLiteral("target"), m_folder.filePath(QStringLiteral("copy.trainscope")));
        controller.setLinked(false);
        controller.ask();
        QTRY_VERIFY(!controller.isBusy());
        controller.metrics()->setMetric(0, QString());
        controller.metrics()->setMetric(1, QStringLiteral("board_power"));
        QSignalSpy done(&controller, &ConnectController::done);
        controller.start();
        QTRY_VERIFY2(done.count() == 1 || !controller.errorText().isEmpty(),
            qPrintable(controller.errorText()));
        QCOMPARE(controller.errorText(), QString());
        const auto store = store::Store::open(
            controller.said("target").toStdString(), store::OpenMode::ReadOnly);
        const Run run = store.value().findRun("job").value();
        const auto series = store.value().series(run.id).value();
        QCOMPARE(series.size(), std::size_t{4});
        QCOMPARE(series.front().description.metric.name, std::string("board_power"));
        QCOMPARE(series.front().description.metric.unit, std::string("W"));
        QCOMPARE(series.front().mean, 7.0);
    }
    // Millijoules that the mapping makes joules, and mebibytes of an exporter whose names may have
    // a prefix, under other names of ours.
    void namesKeepTheirUnits() {
        using importers::engine::mappingFrom;
        const auto mapping = mappingFrom("gpu_energy = my_energy_mj * 0.001 of node").value();
        importers::engine::Catalogue catalogue;
        catalogue.metrics.push_back(
            {"amd_gpu_used_vram", *findMetric(metric::kMemUsed), 1'048'576.0, SubjectKind::Gpu, 8});
        catalogue.metrics.push_back(
            {"my_energy_mj", *findMetric(metric::kGpuEnergy), 0.001, SubjectKind::Node, 2});
        FoundMetricModel metrics;
        metrics.setCatalogue(catalogue, mapping);
        metrics.setMetric(0, QStringLiteral("used_memory"));
        metrics.setMetric(1, QStringLiteral("board_energy"));
        const auto edited = metrics.edited(mapping);
        QCOMPARE(edited.metrics.size(), std::size_t{2});
        QCOMPARE(edited.find("amd_gpu_used_vram")->metric, std::string("used_memory"));
        QCOMPARE(edited.find("amd_gpu_used_vram")->scale, 1'048'576.0);
        QCOMPARE(edited.find("my_energy_mj")->metric, std::string("board_energy"));
        QCOMPARE(edited.find("my_energy_mj")->scale, 0.001);
        QVERIFY(edited.find("my_energy_mj")->subject == SubjectKind::Node);
    }
    void saysWhatIsWrong() {
        ConnectController controller;
        set(controller);
        controller.say(QStringLiteral("address"), QStringLiteral("ftp://x"));
        controller.ask();
        QVERIFY(controller.errorText().contains(QLatin1String("no address")));
        set(controller);
        controller.say(QStringLiteral("match"), QStringLiteral("rate(x[5m])"));
        controller.ask();
        QVERIFY(controller.errorText().contains(QLatin1String("selects no series")));
        controller.say(QStringLiteral("match"), QStringLiteral("{job=\"other\"}"));
        controller.ask();
        QTRY_VERIFY(!controller.isBusy());
        VERIFY_SAYS(controller.errorText(), "has nothing for");
        // Typing on takes the complaint away.
        controller.say(QStringLiteral("match"), QStringLiteral("{job=\"dcgm\"}"));
        QCOMPARE(controller.errorText(), QString());
    }
    void stops() {
        m_delay = 60'000;
        ConnectController controller;
        set(controller);
        controller.ask();
        QTRY_VERIFY(m_asked > 0);
        controller.stop();
        QTRY_VERIFY_WITH_TIMEOUT(!controller.isBusy(), 500);
        QCOMPARE(controller.errorText(), QStringLiteral("Stopped."));
    }

private:
    void set(ConnectController& controller) const {
        controller.say(QStringLiteral("address"), QString::fromStdString(m_server->url()));
        controller.say(QStringLiteral("from"), QStringLiteral("1795341600"));
        controller.say(QStringLiteral("to"), QStringLiteral("1795341660"));
        controller.say(
            QStringLiteral("target"), m_folder.filePath(QStringLiteral("db.trainscope")));
        controller.say(QStringLiteral("runName"), QStringLiteral("job"));
    }

    SimulatedEngine m_engine;
    std::unique_ptr<FakeServer> m_server;
    QTemporaryDir m_folder;
    std::atomic<int> m_delay = 0;
    std::atomic<int> m_asked = 0; // questions to the server
};

TRAINSCOPE_TEST(tst_Connect)
#include "tst_Connect.moc"
