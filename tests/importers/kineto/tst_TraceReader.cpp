// A trace's reading depends on its text alone: not on how it arrives, where it is cut into pieces,
// or how many threads there are.

#include "importers/kineto/RandomTrace.h"
#include "importers/kineto/TraceSyntax.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace trainscope::importers::kineto;
using trainscope::test::RandomTrace;

namespace {

// Gives a text in portions of random size.
class PortionStream final : public ByteStream {
public:
    PortionStream(const std::string& text, unsigned seed, int largest)
        : m_text(text)
        , m_random(seed)
        , m_largest(largest) { }

    Result<std::size_t> read(std::span<std::byte> buffer) override {
        const auto portion = 1 + m_random() % static_cast<unsigned>(m_largest);
        const std::size_t count
            = std::min({buffer.size(), m_text.size() - m_at, static_cast<std::size_t>(portion)});
        std::memcpy(buffer.data(), m_text.data() + m_at, count);
        m_at += count;
        return count;
    }
    [[nodiscard]] std::uint64_t bytesConsumed() const override { return m_at; }

private:
    const std::string& m_text;
    std::mt19937 m_random;
    int m_largest;
    std::size_t m_at = 0;
};

// Everything a visitor is told, as lines.
class Notes final : public TraceVisitor {
public:
    void header(std::string_view key, const JsonToken& value) override {
        lines << "header " << key << " = " << value.text << '\n';
    }
    void broken(std::int64_t line, const std::string& what, bool skippedEvent) override {
        lines << "broken " << line << ' ' << what << ' ' << skippedEvent << '\n';
    }
    Status events(const EventBatch& batch, const TraceSyntax& text) override {
        for (const EventRecord& record : batch.records)
            note(record, batch, text);
        for (const auto& [name, count] : batch.categories)
            categories[name] += count;
        total += batch.events;
        return {};
    }
    std::string all() const {
        std::string result = lines.str() + std::to_string(total);
        for (const auto& [name, count] : categories)
            result += " " + name + ":" + std::to_string(count);
        return result;
    }

    std::ostringstream lines;
    std::map<std::string, std::int64_t> categories;
    std::int64_t total = 0;

private:
    void note(const EventRecord& record, const EventBatch& batch, const TraceSyntax& text) {
        lines << text.lineAt(record.end) << ' ' << static_cast<int>(record.kind) << ' '
              << static_cast<int>(record.problem) << ' ' << record.start << ' ' << record.duration
              << ' ' << record.correlation << ' ' << record.place;
        if (record.kind == RecordKind::Span) {
            const TrackLabel& track = batch.tracks[record.track];
            lines << ' ' << batch.text(record.name) << ' ' << toString(record.spanKind) << ' '
                  << toString(track.kind) << ' ' << track.device << ' ' << track.process << ' '
                  << track.thread;
            if (record.detail != EventRecord::kNone)
                lines << ' ' << batch.text(record.detail);
        }
        if (record.kind == RecordKind::Other) {
            const TraceEvent& event = batch.others[record.name];
            lines << ' ' << event.ph.text << ' ' << event.ts.text << ' ' << event.name.text;
            for (const EventField& field : event.args)
                lines << ' ' << field.key.text << '=' << field.value.text;
        }
        lines << '\n';
    }
};

std::string readWith(ByteStream& stream, WorkerPool* pool, std::size_t pieceSize) {
    Notes notes;
    TraceReader reader(stream, 0, "test", pool, pieceSize);
    const auto result = reader.run(notes, {});
    if (!result.hasValue())
        return result.error().message;
    return notes.all() + (result.value().isTruncated ? " cut " : " whole ")
        + std::to_string(result.value().bytes);
}

std::string readPlainly(const std::string& text, std::size_t pieceSize) {
    PortionStream stream(text, 1, 1 << 30);
    return readWith(stream, nullptr, pieceSize);
}

std::string damaged(std::string text, RandomTrace& random) {
    for (int i = 0; i < 1 + random.below(6); ++i) {
        const auto at = static_cast<std::size_t>(random.below(static_cast<int>(text.size())));
        static constexpr char kBad[] = {'"', '\\', '{', '}', ']', ',', '\0', '\n', 'x'};
        text[at] = kBad[random.below(9)];
        if (random.below(3) == 0)
            text.erase(at, static_cast<std::size_t>(random.below(80)));
    }
    if (random.below(4) == 0)
        text.resize(text.size() - static_cast<std::size_t>(random.below(200)));
    return text;
}

} // namespace

class tst_TraceReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void soundTextIsReadTheSameInAnyPieces() {
        WorkerPool none(0);
        WorkerPool three(3);
        for (unsigned seed = 1; seed <= 40; ++seed) {
            RandomTrace random(seed);
            const std::string text = random.text(20 + random.below(150), seed % 2 == 0);
            const std::string expected = readPlainly(text, text.size() + 1);
            QVERIFY(expected.find("broken") == std::string::npos);
            VERIFY_SAYS(expected, "header baseTimeNanoseconds = 1700");
            for (WorkerPool* pool : {static_cast<WorkerPool*>(nullptr), &none, &three}) {
                const auto pieceSize = static_cast<std::size_t>(50 + random.below(5000));
                PortionStream stream(text, seed, 1 + random.below(3000));
                const std::string got = readWith(stream, pool, pieceSize);
                QCOMPARE(QByteArray::fromStdString(got), QByteArray::fromStdString(expected));
            }
        }
    }
    void damagedTextIsReadTheSameByAnyThreads() {
        WorkerPool none(0);
        WorkerPool three(3);
        for (unsigned seed = 1; seed <= 150; ++seed) {
            RandomTrace random(seed);
            const std::string text
                = damaged(random.text(20 + random.below(100), seed % 2 == 0), random);
            const auto pieceSize = static_cast<std::size_t>(600 + random.below(5000));
            const std::string expected = readPlainly(text, pieceSize);
            for (WorkerPool* pool : {&none, &three}) {
                PortionStream stream(text, seed, 1 + random.below(3000));
                const std::string got = readWith(stream, pool, pieceSize);
                QCOMPARE(QByteArray::fromStdString(got), QByteArray::fromStdString(expected));
            }
        }
    }
    void eventsBehindADamagedOneAreRead() {
        std::string text = "{\"traceEvents\": [\n";
        const int events = 2000;
        for (int i = 0; i < events; ++i)
            text += "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": "
                + std::to_string(i) + (i == 700 || i == 1500 ? " 5" : "") + ", \"dur\": 1},\n";
        text += "]}";
        PortionStream stream(text, 1, 10000);
        WorkerPool pool(2);
        Notes notes;
        TraceReader reader(stream, 0, "test", &pool, 4096);
        QVERIFY(reader.run(notes, {}).hasValue());
        QCOMPARE(notes.total, std::int64_t{events - 2});
        // Line 1 is the opening, so event i ends on line i + 2.
        const std::string lines = notes.lines.str();
        for (const int broken : {702, 1502})
            VERIFY_SAYS(lines, "broken " + std::to_string(broken) + " an event is not valid");
        VERIFY_SAYS(lines, "\n2001 0 0 1999000 1000 ");
    }
    void aLargeEventSpansPieces() {
        const std::string large(3'000'000, 'n');
        const std::string text = "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" + large
            + "\",\"ts\":1,\"dur\":2}, {\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"b\",\"ts\":5}]";
        WorkerPool pool(1);
        PortionStream stream(text, 1, 1 << 20);
        const std::string got = readWith(stream, &pool, 10000);
        VERIFY_SAYS(got, large);
        QVERIFY(got.ends_with("2 kernel:2 whole " + std::to_string(text.size())));
    }
    void manyTinyEventsAreBounded() {
        std::string text = "[";
        const int events = 300'000;
        for (int i = 0; i < events; ++i)
            text += "{},";
        text += "{}]";
        WorkerPool pool(1);
        PortionStream stream(text, 1, 1 << 20);
        Notes notes;
        TraceReader reader(stream, 0, "test", &pool);
        QVERIFY(reader.run(notes, {}).hasValue());
        QCOMPARE(notes.total, std::int64_t{events + 1});
    }
    void cancelEndsTheReading() {
        RandomTrace random(1);
        const std::string text = random.text(20000, true);
        WorkerPool pool(2);
        PortionStream stream(text, 1, 1 << 20);
        Notes notes;
        TraceReader reader(stream, 0, "test", &pool, 65536);
        int calls = 0;
        const auto result
            = reader.run(notes, [&](const ProgressState& /*state*/) { return ++calls < 5; });
        QVERIFY(!result.hasValue());
        QVERIFY(result.error().code == ErrorCode::Cancelled);
        QVERIFY(stream.bytesConsumed() < text.size() / 2);
    }
};

TRAINSCOPE_TEST(tst_TraceReader)
#include "tst_TraceReader.moc"
