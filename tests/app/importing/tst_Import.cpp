// Imports of whole folders: replaced when repeated, broken files beside good ones, cancel, and
// databases that must not be touched.

#include "app/importing/ImportedRuns.h"
#include "app/importing/Logs.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

class tst_Import : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }
    void twiceIsOnce() {
        QVERIFY(writeFile(path("in/a.csv"), logText(1000)));
        QVERIFY(writeFile(path("in/b.csv"), logText(500)));
        const std::map<std::string, std::int64_t> expected{{"a", 2000}, {"b", 1000}};
        for (int round = 0; round < 2; ++round) {
            const auto outcomes = importFolder(path("in"), path("db.trainscope"));
            QVERIFY(outcomes.hasValue());
            QCOMPARE(outcomes.value().size(), std::size_t{2});
            for (const auto& outcome : outcomes.value())
                QVERIFY2(outcome.report, outcome.error ? outcome.error->describe().c_str() : "");
            QCOMPARE(samplesByRun(path("db.trainscope")).value(), expected);
        }
        const auto store
            = store::Store::open(path("db.trainscope").toStdString(), store::OpenMode::ReadOnly);
        const auto sources = store.value().sources();
        QCOMPARE(sources.value().size(), std::size_t{2});
        QCOMPARE(sources.value()[0].hash.size(), std::size_t{32});
        QVERIFY(QDir::isAbsolutePath(QString::fromStdString(sources.value()[0].path)));
    }
    void launchConfigurationsBeside() {
        QVERIFY(writeFile(path("in/a.csv"), logText(10)));
        QVERIFY(
            writeFile(path("in/train.sh"), "torchrun train.py --num-layers 4 --seq-length 128\n"));
        QVERIFY(writeFile(path("in/ds_config.json"), R"({"train_batch_size": 16})"));
        QVERIFY(writeFile(path("in/notes.txt"), "we ran this on Monday\n"));
        const auto outcomes = importFolder(path("in"), path("db.trainscope"));
        QCOMPARE(outcomes.value().size(), std::size_t{1});
        const auto store
            = store::Store::open(path("db.trainscope").toStdString(), store::OpenMode::ReadOnly);
        const LaunchConfig launch = store.value().runs().value().front().launch;
        QCOMPARE(launch.layers.value_or(0), 4);
        QCOMPARE(launch.sequenceLength.value_or(0), 128);
        QCOMPARE(launch.globalBatch.value_or(0), 16);
        QCOMPARE(launch.origin, std::string("train.sh, ds_config.json"));
        // Beside two runs they are those of both.
        QVERIFY(writeFile(path("in/b.csv"), logText(20)));
        QVERIFY(importFolder(path("in"), path("two.trainscope")).hasValue());
        const auto two
            = store::Store::open(path("two.trainscope").toStdString(), store::OpenMode::ReadOnly);
        for (const Run& run : two.value().runs().value())
            QCOMPARE(run.launch.layers.value_or(0), 4);
    }
    void movedIsTheSame() {
        QVERIFY(writeFile(path("in/a.csv"), logText(300)));
        QVERIFY(importFolder(path("in"), path("db.trainscope")).hasValue());
        QVERIFY(QDir().rename(path("in"), path("elsewhere")));
        QVERIFY(importFolder(path("elsewhere"), path("db.trainscope")).hasValue());
        const std::map<std::string, std::int64_t> expected{{"a", 600}};
        QCOMPARE(samplesByRun(path("db.trainscope")).value(), expected);
    }
    // A log of the same name from another folder, of a GPU of the same index, hours later: both
    // become run "gpu", of whose two power series one counts.
    void twoJobsUnderOneName() {
        const std::string first = logText(300);
        std::string later = first;
        for (std::size_t at = later.find("17356896"); at != std::string::npos;
             at = later.find("17356896", at))
            later.replace(at, 8, "17357896"); // 100,000 s
        QVERIFY(writeFile(path("first/gpu.csv"), first));
        QVERIFY(writeFile(path("later/gpu.csv"), later));
        const auto warningsOf = [this](const char* folder, const char* database) {
            const auto outcomes = importFolder(path(folder), path(database));
            QStringList texts;
            for (const auto& warning : outcomes.value().front().report.value().warnings)
                texts.append(QString::fromStdString(warning.text));
            return texts.filter(QStringLiteral("at another time"));
        };
        QCOMPARE(warningsOf("first", "db.trainscope"), QStringList());
        const QStringList warnings = warningsOf("later", "db.trainscope");
        QCOMPARE(warnings.size(), 1);
        QVERIFY2(warnings.front().startsWith(
                     QStringLiteral("gpu_power of rank 0 and 1 more series come from ")),
            qPrintable(warnings.front()));
        VERIFY_SAYS(warnings.front(),
            "first/gpu.csv too, at another time (from 2025-01-01 00:00:00.000 UTC)");
        // A file replaces the run that the same path gave before.
        for (const std::string& log : {first, later}) {
            QVERIFY(writeFile(path("alone/gpu.csv"), log));
            QCOMPARE(warningsOf("alone", "alone.trainscope"), QStringList());
        }
    }
    // A clock that had not been set, and then one that was set wrong: such times cannot be, and the
    // run is no longer for them.
    void timesThatCannotBe() {
        std::string log = "timestamp, index, power.draw [W]\n";
        for (const auto& [year, rows] : {std::pair("1970", 40), {"2025", 50}, {"2107", 40}}) {
            for (int i = 0; i < rows; ++i)
                log += year + std::string("/01/01 00:00:") + (i < 10 ? "0" : "") + std::to_string(i)
                    + ".000, 0, 150.00 W\n";
        }
        QVERIFY(writeFile(path("in/a.csv"), log));
        const auto outcomes = importFolder(path("in"), path("db.trainscope"));
        QStringList texts;
        for (const auto& warning : outcomes.value().front().report.value().warnings)
            texts.append(QString::fromStdString(warning.text));
        QCOMPARE(texts.filter(QStringLiteral("before 1990 or after 2100")),
            QStringList(QStringLiteral("40 readings have times before 1990 or after 2100, which "
                                       "cannot be: left out.")));
        const auto store
            = store::Store::open(path("db.trainscope").toStdString(), store::OpenMode::ReadOnly);
        // 50 readings a second apart; the range ends behind the last.
        QCOMPARE(store.value().findRun("a").value().range.length().ns, 49'000'000'001);
        QCOMPARE(samplesByRun(path("db.trainscope")).value().at("a"), std::int64_t{50});
    }
    // The runs that an import made are told as values, or why not.
    void runsThatWereMade() {
        QVERIFY(writeFile(path("in/a.csv"), logText(30)));
        const auto outcomes = importFolder(path("in"), path("db.trainscope"));
        const auto database = path("db.trainscope").toStdString();
        const auto made = app::importedRuns(outcomes.value(), database, {});
        QCOMPARE(made.value().rows.size(), std::size_t{1});
        QVERIFY(app::importedRuns({}, "/nowhere.trainscope", {}).value().isEmpty());
        const auto none = app::importedRuns(outcomes.value(), "/nowhere.trainscope", {});
        QVERIFY(!none.hasValue() && !none.error().message.empty());
        const auto stopped = app::importedRuns(
            outcomes.value(), database, [](const ProgressState&) { return false; });
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
    }
    void brokenBesideGood() {
        QVERIFY(writeFile(
            path("in/broken.csv"), "timestamp, index, power.draw [W]\nNo devices were found\n"));
        QVERIFY(writeFile(path("in/good.csv"), logText(100)));
        QVERIFY(writeFile(path("in/picture.csv"), "\xff\xd8\xff\xe0 JFIF"));
        const auto outcomes = importFolder(path("in"), path("db.trainscope"));
        QVERIFY(outcomes.hasValue());
        QCOMPARE(outcomes.value().size(), std::size_t{2});
        QVERIFY(outcomes.value()[0].error.has_value());
        QVERIFY(outcomes.value()[1].report.has_value());
        const std::map<std::string, std::int64_t> expected{{"good", 200}};
        QCOMPARE(samplesByRun(path("db.trainscope")).value(), expected);
    }
    void nothingLeavesNoDatabase() {
        QVERIFY(writeFile(
            path("in/broken.csv"), "timestamp, index, power.draw [W]\nNo devices were found\n"));
        QVERIFY(importFolder(path("in"), path("db.trainscope")).hasValue());
        QVERIFY(!QFile::exists(path("db.trainscope")));
    }
    void cancel() {
        QVERIFY(writeFile(path("in/a.csv"), logText(200)));
        QVERIFY(writeFile(path("in/b.csv"), logText(400'000)));
        QElapsedTimer sinceCancel;
        const auto outcomes = importFolder(
            path("in"), path("db.trainscope"), [&](const app::ImportProgress& progress) {
                const bool stop = progress.unit == 1 && progress.unitBytesDone > 0;
                if (stop && !sinceCancel.isValid())
                    sinceCancel.start();
                return !stop;
            });
        QVERIFY(outcomes.hasValue());
        QVERIFY(sinceCancel.isValid());
        QCOMPARE(outcomes.value().size(), std::size_t{2});
        QCOMPARE(outcomes.value()[1].error.value().code, ErrorCode::Cancelled);
        const std::map<std::string, std::int64_t> expected{{"a", 400}};
        QCOMPARE(samplesByRun(path("db.trainscope")).value(), expected);
    }
    // Another program has opened the database that this import made.
    void cancelledBesideAReader() {
        QVERIFY(writeFile(path("in/a.csv"), logText(200)));
        const auto open = [&] {
            return store::Store::open(
                path("db.trainscope").toStdString(), store::OpenMode::ReadOnly);
        };
        std::optional<Result<store::Store>> reader;
        const auto outcomes
            = importFolder(path("in"), path("db.trainscope"), [&](const app::ImportProgress&) {
                  if (!reader)
                      reader.emplace(open());
                  return false;
              });
        QCOMPARE(outcomes.value().back().error.value().code, ErrorCode::Cancelled);
        QVERIFY(reader && reader->hasValue());
        QVERIFY(QFile::exists(path("db.trainscope")));
        QVERIFY(reader->value().runs().hasValue());
        // Nobody else has.
        QVERIFY(importFolder(path("in"), path("mine.trainscope"), [](const auto&) {
            return false;
        }).hasValue());
        QVERIFY(!QFile::exists(path("mine.trainscope")));
    }
    // Another program has put something into it, and is gone.
    void cancelledBehindAnotherImport() {
        QVERIFY(writeFile(path("in/a.csv"), logText(200)));
        QVERIFY(writeFile(path("other/b.csv"), logText(50)));
        bool isOtherDone = false;
        const auto outcomes
            = importFolder(path("in"), path("db.trainscope"), [&](const app::ImportProgress&) {
                  if (!std::exchange(isOtherDone, true))
                      (void)importFolder(path("other"), path("db.trainscope"));
                  return false;
              });
        QCOMPARE(outcomes.value().back().error.value().code, ErrorCode::Cancelled);
        const std::map<std::string, std::int64_t> expected{{"b", 100}};
        QCOMPARE(samplesByRun(path("db.trainscope")).value(), expected);
    }
    void progressEndsComplete() {
        QVERIFY(writeFile(path("in/a.csv"), logText(2000)));
        QVERIFY(writeFile(path("in/b.csv"), logText(2000) + "\n"));
        app::ImportProgress last;
        bool monotonic = true;
        QVERIFY(importFolder(
            path("in"), path("db.trainscope"), [&](const app::ImportProgress& progress) {
                monotonic = monotonic && progress.bytesDone >= last.bytesDone;
                last = progress;
                return true;
            }).hasValue());
        QVERIFY(monotonic);
        QCOMPARE(last.bytesDone, last.bytesTotal);
        QCOMPARE(last.bytesTotal, std::uint64_t(2 * logText(2000).size() + 1));
    }
    void foreignDatabase() {
        const std::string jpeg = "\xff\xd8\xff\xe0 holiday picture";
        QVERIFY(writeFile(path("in/a.csv"), logText(100)));
        QVERIFY(writeFile(path("db.trainscope"), jpeg));
        const auto outcomes = importFolder(path("in"), path("db.trainscope"));
        QVERIFY(!outcomes.hasValue());
        QCOMPARE(outcomes.error().code, ErrorCode::Refused);
        QFile file(path("db.trainscope"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll().toStdString(), jpeg);
    }
    void missingFolder() {
        QVERIFY(writeFile(path("in/a.csv"), logText(100)));
        const auto outcomes = importFolder(path("in"), path("not/there/db.trainscope"));
        QVERIFY(!outcomes.hasValue());
        QVERIFY(!outcomes.error().message.empty());
    }

private:
    [[nodiscard]] QString path(const char* name) const {
        return m_dir->filePath(QString::fromLatin1(name));
    }
    std::unique_ptr<QTemporaryDir> m_dir;
};

TRAINSCOPE_TEST(tst_Import)
#include "tst_Import.moc"
