// The computed columns of `spans`, of a planted trace whose answers are known.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/SpanColumns.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr const char* kAllReduce
    = R"({"Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,"Group size":2,)"
      R"("dtype":"BFloat16","Process Group Name":"3","Process Group Description":"TP_GROUP",)"
      R"("Process Group Ranks":"[0, 1]"})";

// Rank 0: two iterations on its own clock; forward and backward are annotated on the host, and
// kernels run later than they are launched. Rank 1 marks none.
PlantedTrace planted() {
    PlantedTrace trace;
    trace.iteration(0, 7, 1'000, 2'000);
    trace.iteration(0, 8, 2'000, 3'000);
    trace.host(0, "1", SpanKind::Annotation, "## forward ##", 1'000, 100);
    trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 1'010, 5, 1);
    trace.host(0, "1", SpanKind::Runtime, "ncclLaunch", 1'030, 5, 2);
    trace.host(0, "1", SpanKind::Annotation, "## backward ##", 1'200, 100);
    trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 1'210, 5, 3);
    trace.host(0, "1", SpanKind::Runtime, "cudaMemcpyAsync", 1'250, 5, 4);
    trace.kernel(0, "7", "ampere_bf16_gemm", 1'500, 100, 1);
    trace.kernel(0, "9", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1'600, 50, 2, kAllReduce);
    trace.kernel(0, "7", "ampere_bf16_gemm", 2'000, 100, 3);
    trace.work(0, "7", SpanKind::Copy, "Memcpy DtoH", 2'200, 10, 4, R"({"bytes":4096})");
    trace.kernel(
        0, "7", "ampere_bf16_gemm", 3'500, 10); // after both iterations, launched by nobody
    trace.kernel(0, "9", "ncclDevKernel_Broadcast", 3'600, 10); // says nothing of itself
    trace.kernel(1, "7", "flash_fwd_kernel", 1'700, 10);
    return trace;
}

QString ask(const store::Store& store, const char* sql) {
    QStringList lines;
    store::QueryOptions options;
    options.spanColumns = spanColumns(store, KernelCategories::builtIn());
    const auto status = store::query(
        store, sql, {},
        [&lines](const std::vector<store::SqlValue>& row) {
            QStringList cells;
            for (const auto& value : row)
                cells.append(value.type == store::SqlValue::Type::Integer
                        ? QString::number(value.integer)
                        : value.type == store::SqlValue::Type::Text
                        ? QString::fromStdString(value.text)
                        : QStringLiteral("-"));
            lines.append(cells.join(QLatin1Char(',')));
            return true;
        },
        options);
    return status.hasValue() ? lines.join(QLatin1Char(';'))
                             : QString::fromStdString(status.error().describe());
}

} // namespace

class tst_SpanColumns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyColumn() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        QCOMPARE(
            ask(store,
                "SELECT start_ns, stream, correlation, category, iteration, phase, bytes, "
                "communicator FROM spans WHERE rank=0 AND stream IS NOT NULL ORDER BY start_ns"),
            QStringLiteral("1500,7,1,gemm,7,forward,-,-;"
                           "1600,9,2,all_reduce,7,forward,2048,TP_GROUP [0, 1];"
                           "2000,7,3,gemm,8,backward,-,-;"
                           "2200,7,4,-,8,backward,4096,-;"
                           "3500,7,-,gemm,-,forward,-,-;"
                           "3600,9,-,broadcast,-,-,-,-"));
    }

    // A launch has no stream of its own, no category and no phase, but an iteration.
    void onTheHost() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        QCOMPARE(ask(store,
                     "SELECT name, stream, category, iteration, phase, bytes, communicator FROM "
                     "spans WHERE correlation=3 AND kind='runtime'"),
            QStringLiteral("cudaLaunchKernel,-,-,7,-,-,-"));
    }

    // Ranks step together: one that marked no iterations has those of the lowest that did.
    void iterationsOfARankThatMarkedNone() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        QCOMPARE(ask(store, "SELECT category, iteration, phase FROM spans WHERE rank=1"),
            QStringLiteral("attention,7,forward"));
    }

    void groups() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        QCOMPARE(ask(store,
                     "SELECT category, sum(duration_ns), count(*) FROM spans WHERE kind='kernel' "
                     "GROUP BY category ORDER BY 2 DESC, 1"),
            QStringLiteral("gemm,210,3;all_reduce,50,1;attention,10,1;broadcast,10,1"));
    }

    void namesAndTypesAreListed() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        store::QueryOptions options;
        options.spanColumns = spanColumns(store, KernelCategories::builtIn());
        const auto tables = store::sqlTables(store, options);
        QVERIFY(tables.hasValue());
        QCOMPARE(tables.value()[0].name, std::string("samples"));
        QCOMPARE(tables.value()[1].name, std::string("spans"));
        QCOMPARE(tables.value()[1].columns.back().name, std::string("communicator"));
        QCOMPARE(tables.value()[1].columns.size(), std::size_t{18});
        for (const auto& column : tables.value()[1].columns)
            QVERIFY(!column.help.empty());
    }

    // A reading of computed columns can be stopped.
    void stops() {
        PlantedTrace trace = planted();
        const auto store = trace.store();
        store::QueryOptions options;
        options.spanColumns = spanColumns(
            store, KernelCategories::builtIn(), [](const ProgressState&) { return false; });
        bool isStopped = false;
        options.proceed = [&isStopped] { return !isStopped; };
        const auto status = store::query(
            store, "SELECT phase FROM spans", [&isStopped](const auto&) { isStopped = true; }, {},
            options);
        QVERIFY(!status.hasValue());
        QCOMPARE(static_cast<int>(status.error().code), static_cast<int>(ErrorCode::Cancelled));
    }
};

TRAINSCOPE_TEST(tst_SpanColumns)
#include "tst_SpanColumns.moc"
