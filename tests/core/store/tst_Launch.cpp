// Every field of a launch configuration is kept, and a database of an older version keeps what it
// has when it is brought up.

#include "core/store/Fixture.h"

#include "core/model/LaunchConfig.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <QObject>

#include <sqlite3.h>

#include <type_traits>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

// A value of its own in every field.
LaunchConfig filled() {
    LaunchConfig launch;
    int next = 2;
    forEachLaunchField([&](const char* name, auto member) {
        using Value = typename std::decay_t<decltype(launch.*member)>::value_type;
        if constexpr (std::is_same_v<Value, int>)
            launch.*member = next++;
        else if constexpr (std::is_same_v<Value, bool>)
            launch.*member = next++ % 2 == 0;
        else if constexpr (std::is_same_v<Value, Workload>)
            launch.*member = Workload::Lora;
        else
            launch.*member = std::string(name) + " é";
    });
    launch.origin = "a.yaml";
    return launch;
}

void addRun(Store& store, const LaunchConfig& launch, const std::string& source) {
    auto session = got(store::beginImport(store, {source, 1, "", "run"}));
    Run run = runNamed("run");
    run.launch = launch;
    const RunId id = got(session->run(run));
    const SeriesId series = got(session->series(id, gauge("gpu_power" + source, 0)));
    ok(session->samples(series, times({1, 2}), std::vector<double>{3.0, 4.0}));
    ok(session->finish({}, "", 0, {}));
}

// A database as the oldest version that is read wrote it, with one run.
void makeOldest(const std::filesystem::path& path) {
    Database database
        = got(Database::open(StoreFile(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    ok(database.script("PRAGMA application_id=" + std::to_string(kApplicationId)));
    ok(migrate(database, migrations().first(static_cast<std::size_t>(oldestSchemaVersion()))));
    ok(database.script(R"(
INSERT INTO meta VALUES('uuid', '00000000-0000-4000-8000-000000000000');
INSERT INTO run(id, name, imported_name, begin_ns, end_ns) VALUES(1, 'old', 'old', 5, 9);
INSERT INTO launch(run, model, precision, nodes, gpus_per_node, tensor_parallel, pipeline_parallel,
  virtual_pipeline, context_parallel, expert_parallel, data_parallel, micro_batch, global_batch,
  sequence_length, layers, hidden_size, recompute, overlap, origin)
  VALUES(1, 'gpt3-175b', 'bf16', 4, 8, 2, 16, NULL, NULL, NULL, 1, 1, 128, 2048,
  96, 12288, 1, 0, 'old.yaml');
INSERT INTO source VALUES(7, '/old', 1, 'abc', 3, 'charllm 1', '{}');
INSERT INTO source_run VALUES(7, 1, '{"launch":{"model":"gpt3-175b","origin":"old.yaml"}}');
PRAGMA journal_mode=WAL;)"));
}

} // namespace

class tst_Launch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyFieldIsKept() {
        Fixture fixture;
        {
            Store store = fixture.create();
            addRun(store, filled(), "/a");
        }
        const LaunchConfig found = got(fixture.view().runs()).front().launch;
        forEachLaunchField([&](const char* name, auto member) {
            QVERIFY2(found.*member == filled().*member, name);
        });
        QVERIFY(found == filled());
    }

    void aSecondSourceFillsWhatTheFirstLeftOpen() {
        Fixture fixture;
        Store store = fixture.create();
        LaunchConfig first;
        first.model = "mixtral-8x7b";
        first.zeroStage = 0;
        first.origin = "first";
        addRun(store, first, "/a");
        addRun(store, filled(), "/b");
        LaunchConfig expected = filled();
        expected.model = first.model;
        expected.zeroStage = 0;
        expected.origin = "first";
        QVERIFY(got(store.runs()).front().launch == expected);
    }

    void nothingKnownStaysNothing() {
        Fixture fixture;
        Store store = fixture.create();
        addRun(store, {}, "/a");
        QVERIFY(got(store.runs()).front().launch == LaunchConfig{});
    }

    void theOldestVersionIsBroughtUp_data() {
        QTest::addColumn<bool>("forReading");
        QTest::newRow("opened for reading") << true;
        QTest::newRow("opened for writing") << false;
    }
    void theOldestVersionIsBroughtUp() {
        QFETCH(bool, forReading);
        Fixture fixture;
        makeOldest(fixture.path);
        const Store store
            = got(Store::open(fixture.path, forReading ? OpenMode::ReadOnly : OpenMode::ReadWrite));
        QCOMPARE(store.uuid(), std::string("00000000-0000-4000-8000-000000000000"));
        const auto runs = got(store.runs());
        QCOMPARE(runs.size(), std::size_t{1});
        QCOMPARE(runs.front().name, std::string("old"));
        LaunchConfig expected;
        expected.model = "gpt3-175b";
        expected.precision = "bf16";
        expected.nodes = 4;
        expected.gpusPerNode = 8;
        expected.tensorParallel = 2;
        expected.pipelineParallel = 16;
        expected.dataParallel = 1;
        expected.microBatch = 1;
        expected.globalBatch = 128;
        expected.sequenceLength = 2048;
        expected.layers = 96;
        expected.hiddenSize = 12288;
        expected.recompute = true;
        expected.overlap = false;
        expected.origin = "old.yaml";
        QVERIFY(runs.front().launch == expected);
        QCOMPARE(got(store.sources()).front().path, std::string("/old"));
    }
};

TRAINSCOPE_TEST(tst_Launch)
#include "tst_Launch.moc"
