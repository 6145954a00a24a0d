// Ranks that never came to a collective, by dumps of the flight recorder that are written here.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kFrom = 1'724'066'820'000'000'000;

struct Entry {
    int rank = 0;
    const char* group = "0";
    std::int64_t sequence = 0;
    const char* collective = "all_reduce";
    const char* state = "completed";
    const char* sizes = "[[8]]";
    bool isMessage = false;
    bool saysRanks = true;
};

std::string detailOf(const Entry& entry) {
    const bool isOfFirst = *entry.group == 's' && entry.rank < 2;
    const std::string ranks = *entry.group == '0' ? "[0, 1, 2, 3]"
        : isOfFirst                               ? "[0, 1]"
                                                  : "[2, 3]";
    return std::string(R"({"Collective name":")") + entry.collective + R"(","State":")"
        + entry.state + R"(","Process Group Name":")" + entry.group
        + R"(","Process Group Description":"mesh","Process Group Ranks":")"
        + (entry.saysRanks ? ranks : std::string()) + R"(","Seq":)" + std::to_string(entry.sequence)
        + R"(,"Input Dims":)" + entry.sizes
        + (entry.isMessage ? R"(,"Point to point":true})" : "}");
}

struct Recorded {
    Fixture fixture;
    std::vector<UnreachedCollective> unreached;
    std::vector<Finding> findings;
};

void record(const std::vector<Entry>& entries, Recorded& recorded) {
    auto store = recorded.fixture.create();
    auto session = got(store::beginImport(store, {"dump", 1, "hash", "job"}));
    Run run;
    run.name = "job";
    const RunId id = got(session->run(run));
    std::map<int, std::vector<Span>> spans;
    for (const Entry& entry : entries) {
        Span span;
        span.start = {kFrom + entry.sequence * 1000 + entry.rank};
        span.duration = {500};
        span.kind = SpanKind::Other;
        span.name = got(session->intern(std::string("nccl:") + entry.collective));
        span.detail = got(session->intern(detailOf(entry)));
        spans[entry.rank].push_back(span);
    }
    for (const auto& [rank, list] : spans) {
        TrackDescription track;
        track.rank = rank;
        track.process = std::string(kFlightProcess);
        track.thread = "0";
        ok(session->spans(got(session->track(id, track)), list));
    }
    ok(session->finish({}, "hash", 1, {}));
    const Run written = got(store.findRun("job"));
    recorded.unreached = got(unreachedCollectives({store, written}));
    recorded.findings = got(findingsOf({store, written}));
}

// Every rank of the world in its first two collectives.
std::vector<Entry> begun() {
    std::vector<Entry> entries;
    for (int rank = 0; rank < 4; ++rank) {
        entries.push_back({rank, "0", 1});
        entries.push_back({rank, "0", 2});
    }
    return entries;
}

} // namespace

class tst_FlightRecord : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void allThereIsNothing() {
        Recorded recorded;
        auto entries = begun();
        // All have reached the third, which is under way.
        for (int rank = 0; rank < 4; ++rank)
            entries.push_back({rank, "0", 3, "all_reduce", rank == 0 ? "scheduled" : "started"});
        record(entries, recorded);
        QVERIFY(recorded.unreached.empty());
        QVERIFY(recorded.findings.empty());
    }

    void whoNeverCame() {
        Recorded recorded;
        auto entries = begun();
        for (const int rank : {0, 1, 3})
            entries.push_back({rank, "0", 3, "all_reduce", "started"});
        entries.push_back({0, "0", 4, "all_gather", "scheduled"}); // waits because of the third
        entries.push_back({2, "0", 7, "send", "started", "[[8]]", true}); // no collective
        record(entries, recorded);
        QCOMPARE(recorded.unreached.size(), std::size_t{1});
        const UnreachedCollective& one = recorded.unreached[0];
        QCOMPARE(one.collective, std::string("all_reduce"));
        QCOMPARE(one.sequence, std::int64_t{3});
        QCOMPARE(one.waiting, (std::vector<int>{0, 1, 3}));
        QCOMPARE(one.missing, std::vector<int>{2});
        QVERIFY(one.unknown.empty());
        QVERIFY(one.different.empty());
        QCOMPARE(one.range.begin.ns, kFrom + 3000);
        QCOMPARE(one.range.end.ns, kFrom + 3003 + 500);
        QCOMPARE(recorded.findings.size(), std::size_t{1});
        const Finding& finding = recorded.findings[0];
        QCOMPARE(finding.rule, std::string("unreached_collective"));
        QCOMPARE(finding.evidence.rank, 2);
        QCOMPARE(finding.values.at("waiting"), 3.0);
        QCOMPARE(finding.text,
            std::string("In all_reduce number 3 of group mesh ranks 0-1, 3 wait: rank 2 never "
                        "called it. Look at what that rank did there."));
    }

    void whoCalledSomethingElse() {
        Recorded recorded;
        auto entries = begun();
        for (const int rank : {0, 1, 2})
            entries.push_back({rank, "0", 3, "all_reduce", "started"});
        entries.push_back({3, "0", 3, "all_reduce", "started", "[[9]]"});
        record(entries, recorded);
        QCOMPARE(recorded.unreached.size(), std::size_t{1});
        QCOMPARE(recorded.unreached[0].different, std::vector<int>{3});
        QVERIFY(recorded.unreached[0].missing.empty());
    }

    // A buffer that has forgotten its first entries misses nobody; a rank without a dump is told as
    // such.
    void whatIsNotKnown() {
        Recorded recorded;
        std::vector<Entry> entries{{0, "0", 5}, {1, "0", 4}, {1, "0", 5}, {2, "0", 5},
            {0, "0", 6, "all_reduce", "started"}, {1, "0", 6, "all_reduce", "started"}};
        record(entries, recorded);
        QCOMPARE(recorded.unreached.size(), std::size_t{1});
        QCOMPARE(recorded.unreached[0].missing, std::vector<int>{2});
        QCOMPARE(recorded.unreached[0].unknown, std::vector<int>{3});
    }

    void groupsAreJudgedAlone() {
        Recorded recorded;
        std::vector<Entry> entries = begun();
        entries.push_back({2, "1", 1, "all_gather", "started"});
        record(entries, recorded);
        QCOMPARE(recorded.unreached.size(), std::size_t{1});
        QCOMPARE(recorded.unreached[0].group, std::string("1"));
        QCOMPARE(recorded.unreached[0].missing, std::vector<int>{3});
    }

    // Ranks number their groups on their own: "split" is ranks 0 and 1 here and 2 and 3 there. The
    // first have done one collective, the others are in their second together.
    void equalNamesOfDifferentGroups() {
        Recorded recorded;
        std::vector<Entry> entries = begun();
        for (int rank = 0; rank < 4; ++rank)
            entries.push_back({rank, "split", 1});
        for (const int rank : {2, 3})
            entries.push_back({rank, "split", 2, "all_reduce", "started"});
        record(entries, recorded);
        QVERIFY(recorded.unreached.empty());
        Recorded later;
        entries.push_back({2, "split", 3, "all_reduce", "started"});
        record(entries, later);
        QCOMPARE(later.unreached.size(), std::size_t{1});
        QCOMPARE(later.unreached[0].sequence, std::int64_t{3});
        QCOMPARE(later.unreached[0].waiting, std::vector<int>{2});
        QCOMPARE(later.unreached[0].missing, std::vector<int>{3});
    }

    // A dump that does not say its groups is of the one that others say.
    void groupsThatOneDumpDoesNotSay() {
        Recorded recorded;
        std::vector<Entry> entries = begun();
        entries.push_back({0, "0", 3, "all_reduce", "started"});
        for (Entry& entry : entries)
            entry.saysRanks = entry.rank != 3;
        record(entries, recorded);
        QCOMPARE(recorded.unreached.size(), std::size_t{1});
        QCOMPARE(recorded.unreached[0].missing, (std::vector<int>{1, 2, 3}));
    }
};

TRAINSCOPE_TEST(tst_FlightRecord)
#include "tst_FlightRecord.moc"
