// An import writes the same for any number of threads: every table, byte by byte, but the time of
// the import.

#include "app/importing/Logs.h"
#include "core/parallel/WorkerPool.h"
#include "support/TestProgram.h"

#include <sqlite3.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope;
using namespace trainscope::test;

namespace {

constexpr int kFewSamples = 500;
constexpr int kManySamples = 60'000; // several blocks of a file, several chunks of a series

std::string telemetry(int rows, unsigned seed, bool isCounter) {
    std::mt19937 random(seed);
    std::string text;
    std::int64_t counter = 4'000'000'000;
    std::int64_t us = 0;
    for (int i = 0; i < rows; ++i) {
        us += 100'000 + static_cast<std::int64_t>(random() % 1000);
        counter = (counter + static_cast<std::int64_t>(random() % 1'000'000)) % 4294967296;
        text += std::to_string(1735689600 + us / 1'000'000) + "."
            + std::to_string(1'000'000 + us % 1'000'000).substr(1) + ",";
        text += isCounter
            ? std::to_string(counter)
            : std::to_string(100 + random() % 600) + "." + std::to_string(random() % 97);
        text += random() % 5000 == 0 ? ",,bad\n" : "\n";
    }
    return text;
}

std::string trace(int kernels) {
    std::string text
        = R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":0,"world_size":8},
"baseTimeNanoseconds":1735689600000000000,"traceEvents":[)";
    for (int i = 0; i < kernels; ++i) {
        const std::string at = std::to_string(1000 + 11 * i);
        const std::string id = std::to_string(i);
        text += i == 0 ? "\n" : ",\n";
        text
            += R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":42,"tid":42,"ts":)"
            + at + R"(.5,"dur":4.2,"args":{"correlation":)" + id + "}},\n";
        text += R"({"ph":"X","cat":"kernel","name":"kernel_)" + std::to_string(i % 17)
            + R"(","pid":0,"tid":7,"ts":)" + at
            + R"(.75,"dur":5.125,"args":{"device":0,"stream":7,)" + R"("correlation":)" + id + "}}";
    }
    return text + "]}\n";
}

QByteArray cell(sqlite3_stmt* row, int column) {
    if (sqlite3_column_type(row, column) == SQLITE_FLOAT)
        return QByteArray::number(sqlite3_column_double(row, column), 'g', 17);
    const auto* data = static_cast<const char*>(sqlite3_column_blob(row, column));
    return {data, sqlite3_column_bytes(row, column)};
}

// Hash of all rows in their order; `sql` names the table.
QByteArray hashOfTable(sqlite3* database, const QByteArray& table, qint64& rows) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    sqlite3_stmt* row = nullptr;
    const QByteArray sql = "SELECT * FROM \"" + table + "\"";
    sqlite3_prepare_v2(database, sql.constData(), -1, &row, nullptr);
    for (; sqlite3_step(row) == SQLITE_ROW; ++rows) {
        for (int i = 0; i < sqlite3_column_count(row); ++i) {
            if (QByteArray(sqlite3_column_name(row, i)) == "imported_ns")
                continue;
            const QByteArray data = cell(row, i);
            hash.addData(QByteArray::number(data.size()) + ':' + data);
        }
    }
    sqlite3_finalize(row);
    return hash.result().toHex();
}

using Tables = std::map<QByteArray, QByteArray>;

Tables tablesOf(const QString& path, qint64& rows) {
    sqlite3* database = nullptr;
    sqlite3_open_v2(path.toUtf8().constData(), &database, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_stmt* names = nullptr;
    sqlite3_prepare_v2(
        database, "SELECT name FROM sqlite_master WHERE type='table'", -1, &names, nullptr);
    Tables tables;
    while (sqlite3_step(names) == SQLITE_ROW) {
        const QByteArray name = cell(names, 0);
        if (name == "meta") // the file's own, random name
            continue;
        tables[name] = hashOfTable(database, name, rows);
    }
    sqlite3_finalize(names);
    sqlite3_close(database);
    return tables;
}

// The pool of a process has one size for its life: each import has a process of its own.
bool importWith(unsigned threads, const QString& folder, const QString& database) {
    const pid_t child = fork();
    if (child == 0) {
        WorkerPool::askFor(threads);
        const auto outcomes = importFolder(folder, database);
        bool isGood = outcomes.hasValue() && outcomes.value().size() == 4;
        for (const auto& outcome : outcomes.valueOr({}))
            isGood = isGood && outcome.report.has_value();
        _exit(isGood ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    return status == 0;
}

} // namespace

class tst_Threads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void sameContent() {
        QTemporaryDir dir;
        const auto path = [&dir](const std::string& name) {
            return dir.filePath(QString::fromStdString(name));
        };
        for (int rank = 0; rank < 8; ++rank) {
            const auto seed = static_cast<unsigned>(rank);
            const int rows = rank == 3 ? kManySamples : kFewSamples;
            const std::string end = "_" + std::to_string(rank) + ".csv";
            QVERIFY(
                writeFile(path("in/tree/a_1_00000/gpu_power" + end), telemetry(rows, seed, false)));
            QVERIFY(writeFile(
                path("in/tree/a_1_00000/pcie_rx_bytes" + end), telemetry(rows, seed + 50, true)));
            QVERIFY(
                writeFile(path("in/tree/b_2_00000/sm_clock" + end), telemetry(rows, seed, false)));
        }
        QVERIFY(writeFile(path("in/traces/rank0.json"), trace(20'000)));
        QVERIFY(writeFile(path("in/logs/smi.csv"), logText(30'000)));

        Tables expected;
        for (const unsigned threads : {1U, 2U, 16U}) {
            const QString database = path("db" + std::to_string(threads) + ".trainscope");
            QVERIFY(importWith(threads, path("in"), database));
            qint64 rows = 0;
            const Tables tables = tablesOf(database, rows);
            QVERIFY(rows > 200);
            if (expected.empty())
                expected = tables;
            QCOMPARE(tables.size(), expected.size());
            for (const auto& [name, hash] : tables)
                QVERIFY2(hash == expected[name],
                    (name + " differs with " + QByteArray::number(threads) + " threads")
                        .constData());
        }
    }
};

TRAINSCOPE_TEST(tst_Threads)
#include "tst_Threads.moc"
