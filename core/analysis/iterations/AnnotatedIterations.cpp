#include "core/analysis/iterations/AnnotatedIterations.h"

#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"

#include <cctype>
#include <charconv>
#include <tuple>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLongestName = 80;
constexpr double kNearlyAsLong = 0.9;

// Endings of names that count, before the number; letters only.
constexpr std::array<std::string_view, 4> kCounted{"iteration", "iter", "step", "batch"};
// Endings of names that do not count.
constexpr std::array<std::string_view, 11> kRepeated{"trainstep", "trainingstep", "trainbatch",
    "trainiter", "trainiteration", "trainingiteration", "trainingbatch", "iteration", "iter",
    "onestep", "trainonestep"};
// Parts of an iteration, and what is no training.
constexpr std::array<std::string_view, 8> kOther{
    "micro", "optim", "valid", "eval", "test", "schedul", "zerograd", "warm"};

std::string lettersOf(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::isalpha(static_cast<unsigned char>(c)) != 0)
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

template <typename List>
bool endsInOne(std::string_view text, const List& endings) {
    return std::ranges::any_of(
        endings, [text](std::string_view ending) { return text.ends_with(ending); });
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isalnum(static_cast<unsigned char>(text.back())) == 0)
        text.remove_suffix(1);
    return std::string(text);
}

// "iteration 7", "step_12/100", "ProfilerStep#3", "Iter [5]": the text before the number, and it.
std::optional<IterationName> counted(std::string_view name) {
    const auto first = std::ranges::find_if(name, isDigit);
    if (first == name.end())
        return std::nullopt;
    const auto from = static_cast<std::size_t>(first - name.begin());
    std::int64_t number = 0;
    const auto read = std::from_chars(name.data() + from, name.data() + name.size(), number);
    if (read.ec != std::errc())
        return std::nullopt;
    const std::string_view rest(
        read.ptr, static_cast<std::size_t>(name.data() + name.size() - read.ptr));
    const bool isPlain = std::ranges::all_of(
        rest, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0 && c != '.'; });
    if (!isPlain || !endsInOne(lettersOf(name.substr(0, from)), kCounted))
        return std::nullopt;
    return IterationName{trimmed(name.substr(0, from)), number};
}

// The ranges of one name and rank.
struct Candidate {
    std::vector<Iteration> iterations;
    bool isCounted = false;
};
using CandidateKey = std::tuple<std::string, int, SpanKind, TrackId>;

// In order of time without those that begin inside another; empty where numbers go back.
void tidy(Candidate& candidate) {
    auto& all = candidate.iterations;
    std::ranges::stable_sort(all, {}, [](const Iteration& one) { return one.range.begin; });
    std::vector<Iteration> kept;
    for (const Iteration& one : all) {
        if (!kept.empty() && one.range.begin < kept.back().range.end)
            continue;
        if (!candidate.isCounted) {
            kept.push_back(one);
            kept.back().index = static_cast<std::int64_t>(kept.size()) - 1;
        } else if (kept.empty() || one.index > kept.back().index) {
            kept.push_back(one);
        } else {
            kept.clear();
            break;
        }
    }
    all = std::move(kept);
}

// In order of time; of what two sources say of the same time, as the same log twice, the first.
// Neighbours may overlap a little, since stamps are rounded.
std::vector<Iteration> withoutTwins(std::vector<Iteration> iterations) {
    std::ranges::stable_sort(iterations, {}, [](const Iteration& one) { return one.range.begin; });
    std::vector<Iteration> kept;
    for (const Iteration& one : iterations) {
        const bool isTwin = !kept.empty()
            && one.range.begin - kept.back().range.begin < kept.back().range.end - one.range.begin;
        if (!isTwin)
            kept.push_back(one);
    }
    return kept;
}

class AnnotationSearch {
public:
    AnnotationSearch(const store::Store& store, RunId run)
        : m_store(store)
        , m_run(run) { }

    Result<AnnotatedIterations> run() {
        RETURN_IF_ERROR(readNames());
        RETURN_IF_ERROR(readTracks());
        RETURN_IF_ERROR(readSpans());
        return best();
    }

private:
    Status readNames() {
        ASSIGN_OR_RETURN(const auto names, m_store.names(m_run));
        for (const auto& [id, text] : names) {
            if (auto name = iterationName(text))
                m_names.emplace(id.value, std::move(*name));
        }
        return {};
    }

    Status readTracks() {
        ASSIGN_OR_RETURN(const auto tracks, m_store.tracks(m_run));
        for (const Track& track : tracks) {
            if (track.description.kind != TrackKind::Stream)
                m_tracks.emplace(track.id.value, track.description.rank);
        }
        return {};
    }

    // Finds the tracks that the names stand on, without looking at the rest.
    Status readSpans() {
        if (m_names.empty() || m_tracks.empty())
            return {};
        std::vector<std::pair<std::int64_t, std::int64_t>> places;
        const std::string sql
            = "SELECT track, name FROM track_name WHERE track IN (SELECT id FROM track WHERE run="
            + std::to_string(m_run.value) + ") ORDER BY track, name";
        RETURN_IF_ERROR(m_store.query(
            sql, [](const auto&) {},
            [&](const std::vector<store::SqlValue>& row) {
                if (m_tracks.contains(row[0].integer) && m_names.contains(row[1].integer))
                    places.emplace_back(row[0].integer, row[1].integer);
                return true;
            }));
        for (const auto& [track, name] : places)
            RETURN_IF_ERROR(addSpans({track}, {name}));
        return {};
    }

    Status addSpans(TrackId track, NameId name) {
        const IterationName& said = m_names.at(name.value);
        const int rank = m_tracks.at(track.value);
        return m_store.forEachSpanNamed(track, name, [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (span.kind != SpanKind::Annotation && span.kind != SpanKind::GpuAnnotation)
                    continue;
                Candidate& candidate = m_candidates[{said.stem, rank, span.kind, track}];
                candidate.isCounted = said.number.has_value();
                candidate.iterations.push_back({said.number.value_or(0),
                    {span.start, span.start + span.duration}, rank, false});
            }
            return true;
        });
    }

    // Per name and rank the track that covers most, those of the host first; then the name that
    // covers most, one that counts before one that does not.
    AnnotatedIterations best() {
        std::map<std::string, std::map<int, Candidate>> names;
        for (auto& [key, candidate] : m_candidates) {
            tidy(candidate);
            const bool isEnough = candidate.iterations.size() >= (candidate.isCounted ? 1U : 2U);
            if (!isEnough)
                continue;
            const auto [place, isNew]
                = names[std::get<0>(key)].try_emplace(std::get<1>(key), candidate);
            const bool isHost = std::get<2>(key) == SpanKind::Annotation;
            if (!isNew && isHost
                && lengthOf(rangesOf(candidate.iterations))
                    > lengthOf(rangesOf(place->second.iterations)))
                place->second = candidate;
        }
        AnnotatedIterations out;
        double most = 0.0;
        for (const auto& [stem, ranks] : names) {
            double covered = 0.0;
            for (const auto& [rank, candidate] : ranks)
                covered += static_cast<double>(lengthOf(rangesOf(candidate.iterations)).ns)
                    * (candidate.isCounted ? 1.0 : kNearlyAsLong);
            if (covered <= most)
                continue;
            most = covered;
            out = {{}, "ranges '" + stem + "'"};
            for (const auto& [rank, candidate] : ranks)
                out.byRank[rank] = candidate.iterations;
        }
        return out;
    }

    const store::Store& m_store;
    RunId m_run;
    std::map<std::int64_t, IterationName> m_names;
    std::map<std::int64_t, int> m_tracks; // and their ranks
    std::map<CandidateKey, Candidate> m_candidates;
};

} // namespace

Result<std::vector<NamedPhase>> namedPhasesOf(
    const store::Store& store, const std::vector<Track>& tracks, bool withIntervals) {
    std::vector<std::pair<NameId, TimeRange>> found;
    for (const Track& track : tracks) {
        const bool isOfLog = withIntervals && track.description.rank < 0
            && track.description.name == intervalTrack().name;
        if (track.count == 0 || !(isOfLog || isPhaseTrack(track.description)))
            continue;
        RETURN_IF_ERROR(
            store.forEachSpan(track.id, kAllTime, [&found](std::span<const Span> spans) {
                for (const Span& span : spans)
                    found.emplace_back(
                        span.name, TimeRange{span.start, span.start + span.duration});
                return true;
            }));
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.second.begin; });
    std::vector<NamedPhase> phases;
    for (const auto& [name, range] : found) {
        ASSIGN_OR_RETURN(auto text, store.name(name));
        phases.push_back({std::move(text), range});
    }
    return phases;
}

std::optional<IterationName> iterationName(std::string_view name) {
    if (name.size() > kLongestName)
        return std::nullopt;
    const std::string letters = lettersOf(name);
    const bool isOther = std::ranges::any_of(kOther,
        [&letters](std::string_view word) { return letters.find(word) != std::string::npos; });
    if (isOther)
        return std::nullopt;
    if (auto found = counted(name))
        return found;
    const bool hasNumber = std::ranges::any_of(name, isDigit);
    if (hasNumber || !(endsInOne(letters, kRepeated) || letters == "step"))
        return std::nullopt;
    return IterationName{std::string(name), std::nullopt};
}

Result<AnnotatedIterations> annotatedIterations(const store::Store& store, RunId run) {
    ASSIGN_OR_RETURN(const auto recorded, store.iterations(run));
    if (recorded.empty())
        return AnnotationSearch(store, run).run();
    AnnotatedIterations out{{}, "the iterations that its sources name"};
    for (const Iteration& iteration : recorded)
        out.byRank[iteration.rank].push_back(iteration);
    for (auto& [rank, iterations] : out.byRank)
        iterations = withoutTwins(std::move(iterations));
    return out;
}

} // namespace trainscope::analysis
