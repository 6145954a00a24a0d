// Answers of monitoring engines, sound ones with changes or of any bytes: read one by one, and as
// what a catalogue, its parts and a copy are made of; what is kept of a link and of lanes. Read or
// refused in words, and samples are as many as times. The first byte says of what.

#include "fuzz/Inputs.h"

#include "app/engine/LaneTiles.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Link.h"
#include "importers/engine/Mapping.h"
#include "importers/engine/PartWriter.h"
#include "importers/engine/Reduction.h"
#include "importers/support/RecordingSink.h"

#include <cstdlib>

#include <xxhash.h>

namespace {

using namespace trainscope;
using namespace trainscope::importers::engine;

template <typename T>
bool isHeard(const Result<T>& result) {
    if (!result.hasValue() && result.error().message.empty())
        std::abort();
    return result.hasValue();
}

void readAnswer(const std::string& body) {
    isHeard(readSamples(body, [](AnsweredSeries& series) -> Status {
        if (series.times.size() != series.values.size())
            std::abort();
        (void)meaningOf(series.labels, {});
        (void)distributedOf(series.labels);
        (void)bandRowOf(series.labels);
        (void)takeReduced(series.labels);
        return {};
    }));
    (void)readLabelSets(body, [](Labels& labels) -> Status {
        (void)labels.text();
        return {};
    });
    (void)readTexts(body);
    (void)readComplaint(body);
}

void readAnyAnswer(const std::string& text) {
    readAnswer(text);
    // The usual frame, which few mutations would find.
    readAnswer(R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{)" + text);
    readAnswer(R"({"status":"success","data":[)" + text + "]}");
}

// Asks a link that was read for everything.
void askOf(const Link& link) {
    const ReductionScope scope{"DCGM_FI_DEV_POWER_USAGE", true, 60'000, "gpu=\"0\""};
    const Columns columns{1'795'341'600'000, 1'000, 50, 1'000};
    (void)seriesRequest(link, scope, Reduced::Max, columns);
    (void)bandsRequest(link, scope, columns);
    (void)stretchRequest(link, scope, Reduced::Mean, link.range);
}

void readKept(const std::string& text) {
    if (const auto link = linkFrom(text); isHeard(link)) {
        askOf(link.value());
        if (!linkFrom(textOf(link.value())).hasValue())
            std::abort();
    }
    if (const auto mapping = mappingFrom(text);
        mapping.hasValue() && !mappingFrom(textOf(mapping.value())).hasValue())
        std::abort();
    (void)selectorFrom(text);
    (void)addressFrom(text);
}

void readTile(fuzz::Input input) {
    static const std::string sound = [] {
        app::LaneTile tile;
        for (const std::int64_t key : {-1, 7}) {
            std::vector<float> values(app::LaneTile::kColumns, 1.5F);
            tile.rows.emplace(key, app::LaneTile::Row{values, values, values});
        }
        return app::packed(tile);
    }();
    std::string bytes = fuzz::overwritten(sound, input);
    bytes.resize(bytes.size() - sizeof(XXH64_hash_t));
    const XXH64_hash_t sum = XXH3_64bits(bytes.data(), bytes.size());
    bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
    if (const auto tile = app::unpackedTile(bytes); tile && tile->rows.size() > 2)
        std::abort();
}

// Answers by what is asked: names, hosts, series, samples.
class Answers final : public Fetcher {
public:
    explicit Answers(fuzz::Files bodies, int statusOfSamples)
        : m_bodies(std::move(bodies))
        , m_statusOfSamples(statusOfSamples) { }
    std::unique_ptr<PendingAnswer> ask(HttpRequest request) override {
        const std::string& asked = request.path;
        const bool isOfHosts = !request.parameters.empty()
            && request.parameters[0].second.find("node_uname_info") != std::string::npos;
        const std::size_t which = asked.find("/label/") != std::string::npos ? 0
            : asked.find("/series") == std::string::npos                     ? 3
            : isOfHosts                                                      ? 1
                                                                             : 2;
        const std::string& body = m_bodies[which].second;
        return std::make_unique<Ready>(
            HttpAnswer{which == 3 ? m_statusOfSamples : 200, body, body.size(), 0});
    }

private:
    class Ready final : public PendingAnswer {
    public:
        explicit Ready(HttpAnswer answer)
            : m_answer(std::move(answer)) { }
        Result<HttpAnswer> wait(const IsCancelled& isCancelled) override {
            if (isCancelled && isCancelled())
                return cancelled();
            return std::move(m_answer);
        }

    private:
        HttpAnswer m_answer;
    };

    fuzz::Files m_bodies;
    int m_statusOfSamples;
};

std::string labelsOf(const std::string& name, const std::string& gpu) {
    return R"({"__name__":")" + name + R"(","Hostname":"n1","gpu":")" + gpu + R"(","UUID":"GPU-)"
        + gpu + R"(","modelName":"NVIDIA H100","job":"dcgm","instance":"10.0.0.1:9400"})";
}

fuzz::Files soundAnswers() {
    const std::string power0 = labelsOf("DCGM_FI_DEV_POWER_USAGE", "0");
    const std::string power1 = labelsOf("DCGM_FI_DEV_POWER_USAGE", "1");
    const std::string energy = labelsOf("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "0");
    const std::string load = R"({"__name__":"node_load1","instance":"10.0.0.1:9100"})";
    return {{"names",
                R"({"status":"success","data":["DCGM_FI_DEV_POWER_USAGE",)"
                R"("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION","node_load1"]})"},
        {"hosts",
            R"({"status":"success","data":[{"__name__":"node_uname_info","nodename":"n1",)"
            R"("instance":"10.0.0.1:9100"}]})"},
        {"series",
            R"({"status":"success","data":[)" + power0 + "," + power1 + "," + energy + "," + load
                + "]}"},
        {"samples",
            R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":)" + power0
                + R"(,"values":[[1795341600,"101"],[1795341601.5,"99"]]},{"metric":)" + energy
                + R"(,"values":[[1795341600,"5000"],[1795341603,"NaN"],[1795341602,"7"]]}]}})"}};
}

// A copy of four seconds, every sample or one in each second.
void copyParts(Fetcher& fetcher, const Wanted& wanted, const Catalogue& catalogue, bool hasStep) {
    const auto parts = partsOf(catalogue);
    CopyRequest request{wanted.selector, wanted.range, {}};
    if (hasStep)
        request.step = DurationNs{1'000'000'000};
    SliceFeed feed(fetcher, request, parts);
    int questions = 0;
    const IsCancelled isCancelled = [&questions] { return ++questions > 100; };
    test::RecordingSink sink;
    const auto run = sink.run({});
    for (const Part& part : parts) {
        PartWriter writer(catalogue, wanted.mapping, part, sink, run.value());
        for (bool isLast = false; !isLast;) {
            const auto slice = feed.next(isCancelled);
            if (!isHeard(slice) || !slice.value())
                return;
            isLast = slice.value()->endsPart;
            if (!writer.add(*slice.value()).hasValue())
                return;
        }
        (void)writer.report("source");
    }
}

Wanted everything() {
    Wanted wanted;
    wanted.range = {{1'795'341'600'000'000'000}, {1'795'341'604'000'000'000}};
    return wanted;
}

// The stored text of a link to what the sound answers tell of.
std::string soundLink() {
    Answers answers(soundAnswers(), 200);
    const auto catalogue = readCatalogue(answers, everything(), {});
    if (!catalogue.hasValue())
        std::abort();
    const auto address = addressFrom("http://host:9090");
    if (!address.hasValue())
        std::abort();
    return textOf(linkOf(address.value(), everything(), catalogue.value(), false));
}

void readChangedLink(fuzz::Input input) {
    static const fuzz::Files sound{{"link", soundLink()}};
    if (input.empty() && !linkFrom(sound.front().second).hasValue())
        std::abort();
    readKept(fuzz::changed(sound, input).front().second);
}

void copyAll(fuzz::Input input, bool isTooMuch) {
    static const fuzz::Files sound = soundAnswers();
    const bool hasStep = !input.empty() && input.back() % 2 != 0;
    Answers answers(fuzz::changed(sound, input), isTooMuch ? 422 : 200);
    const Wanted wanted = everything();
    const auto catalogue = readCatalogue(answers, wanted, {});
    if (!isHeard(catalogue))
        return;
    const Link link = linkOf({}, wanted, catalogue.value(), false);
    askOf(link);
    copyParts(answers, wanted, catalogue.value(), hasStep);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    switch (const std::size_t choice = fuzz::takeChoice(input, 8)) {
    case 0:
        readAnyAnswer(std::string(fuzz::textOf(input)));
        break;
    case 1:
        readKept(std::string(fuzz::textOf(input)));
        break;
    case 2:
        readTile(input);
        break;
    case 3:
        readChangedLink(input);
        break;
    default:
        copyAll(input, choice == 4);
    }
    return 0;
}
