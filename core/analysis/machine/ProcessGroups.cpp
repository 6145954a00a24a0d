#include "core/analysis/machine/ProcessGroups.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"

#include <nlohmann/json.hpp>

#include <set>
#include <unordered_set>

namespace trainscope::analysis {

namespace {

using Json = nlohmann::json;

constexpr int kMostRanks = 1 << 24; // beyond any cluster: a broken number

std::string textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    return found->is_number_integer() ? std::to_string(found->get<std::int64_t>()) : std::string();
}

std::vector<int> ranksOf(const Json& list) {
    if (list.is_string()) {
        const auto inner = Json::parse(list.get_ref<const std::string&>(), nullptr, false);
        return inner.is_array() ? ranksOf(inner) : std::vector<int>();
    }
    std::vector<int> ranks;
    if (!list.is_array())
        return ranks;
    for (const Json& rank : list) {
        if (!rank.is_number_integer())
            return {};
        ranks.push_back(static_cast<int>(rank.get<std::int64_t>()));
    }
    return ranks;
}

std::optional<std::int64_t> integerOf(const Json& object, const char* key) {
    return wholeNumber<std::int64_t>(textOf(object, key));
}

std::optional<int> rankOf(const Json& object, const char* key) {
    const auto value = integerOf(object, key);
    return value && *value >= 0 && *value <= kMostRanks ? std::optional(static_cast<int>(*value))
                                                        : std::nullopt;
}

std::vector<int> strideRanks(const Json& object, std::int64_t size) {
    const auto start = rankOf(object, "Global rank start");
    const auto stride = rankOf(object, "Global rank stride");
    std::vector<int> ranks;
    if (!start || !stride || *stride < 1 || size < 1 || size > kMostRanks / *stride)
        return ranks;
    for (int i = 0; i < static_cast<int>(size); ++i)
        ranks.push_back(*start + i * *stride);
    return ranks;
}

using layout::ProcessGroup;

bool isOf(const store::Source& source, const Run& run) {
    return std::find(source.runs.begin(), source.runs.end(), run.id) != source.runs.end();
}

Result<std::set<ProcessGroup>> recorded(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto sources, study.store.sources());
    std::set<ProcessGroup> groups;
    for (const store::Source& source : sources) {
        const auto fact = source.report.facts.find(std::string(layout::kProcessGroupsFact));
        if (!isOf(source, study.run) || fact == source.report.facts.end())
            continue;
        for (auto& group : layout::processGroupsFromText(fact->second))
            groups.insert(std::move(group));
    }
    return groups;
}

// Purpose of a group without a name, from its use: only pipelines send and receive, only experts
// exchange all with all. Empty: it does not show.
std::string purposeOf(const std::string& collective) {
    const auto has
        = [&](std::string_view part) { return collective.find(part) != collective.npos; };
    if (has("all_to_all") || has("alltoall"))
        return "expert, by its collectives";
    return has("send") || has("recv") ? "pipeline, by its collectives" : "";
}

// The groups that the collectives of a track name. All of them are used within a step or two, so
// the first spans tell.
class Collected {
public:
    explicit Collected(const store::Store& store)
        : m_store(store) { }

    Status read(const Track& track) {
        constexpr std::size_t kEnoughSpans = 200'000;
        std::size_t count = 0;
        Status failure;
        const auto status
            = m_store.forEachSpan(track.id, track.range, [&](std::span<const Span> spans) {
                  for (const Span& span : spans) {
                      if (span.detail.isValid() && m_seen.insert(span.detail.value).second)
                          failure = take(span.detail);
                      if (!failure.hasValue())
                          return false;
                  }
                  count += spans.size();
                  return count < kEnoughSpans;
              });
        return failure.hasValue() ? status : failure;
    }

    // Each once, with its purpose where it has no description.
    [[nodiscard]] std::set<ProcessGroup> groups() const {
        std::set<ProcessGroup> result;
        for (ProcessGroup group : m_groups) {
            if (isUnsaid(group))
                group.description = purpose(group);
            result.insert(std::move(group));
        }
        return result;
    }

    [[nodiscard]] std::string purpose(const ProcessGroup& group) const {
        const auto found = m_purposes.find({group.name, group.ranks});
        return found == m_purposes.end() ? group.description : found->second;
    }

    static bool isUnsaid(const ProcessGroup& group) {
        return group.ranks.size() > 1 && !layout::kindFromName(group.name, group.description)
            && !layout::isAuxiliary(group.description) && group.description != "default_pg";
    }

private:
    Status take(NameId id) {
        ASSIGN_OR_RETURN(auto detail, collectiveDetail(m_store, id));
        std::sort(detail.ranks.begin(), detail.ranks.end());
        if (detail.ranks.empty())
            return {};
        if (auto purpose = purposeOf(detail.collective); !purpose.empty())
            m_purposes[{detail.group, detail.ranks}] = std::move(purpose);
        m_groups.insert({detail.group, detail.description, std::move(detail.ranks)});
        return {};
    }

    const store::Store& m_store;
    std::unordered_set<std::int64_t> m_seen;
    std::set<ProcessGroup> m_groups;
    std::map<std::pair<std::string, std::vector<int>>, std::string> m_purposes;
};

} // namespace

CollectiveDetail parseCollectiveDetail(std::string_view json) {
    CollectiveDetail detail;
    const auto object = Json::parse(json.begin(), json.end(), nullptr, false);
    if (!object.is_object())
        return detail;
    detail.collective = textOf(object, "Collective name");
    detail.group = textOf(object, "Process Group Name");
    detail.description = textOf(object, "Process Group Description");
    detail.dataType = textOf(object, "dtype");
    detail.groupSize = integerOf(object, "Group size");
    detail.inElements = integerOf(object, "In msg nelems");
    detail.outElements = integerOf(object, "Out msg nelems");
    detail.sequence = integerOf(object, "Seq");
    detail.source = rankOf(object, "Src Rank");
    detail.destination = rankOf(object, "Dst Rank");
    if (const auto ranks = object.find("Process Group Ranks"); ranks != object.end()) {
        detail.ranks = ranksOf(*ranks);
        // Written out only where it is a list of numbers: writing goes as deep as the nesting.
        if (ranks->is_string())
            detail.ranksText = ranks->get<std::string>();
        else if (!detail.ranks.empty())
            detail.ranksText = ranks->dump();
    }
    if (detail.ranks.empty() && detail.groupSize)
        detail.ranks = strideRanks(object, *detail.groupSize);
    return detail;
}

Result<CollectiveDetail> collectiveDetail(const store::Store& store, NameId detail) {
    if (!detail.isValid())
        return CollectiveDetail{};
    ASSIGN_OR_RETURN(const auto text, store.name(detail));
    return parseCollectiveDetail(text);
}

Result<std::vector<ProcessGroup>> processGroupsOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto known, recorded(study));
    auto& groups = known;
    if (!groups.empty() && std::none_of(groups.begin(), groups.end(), Collected::isUnsaid))
        return std::vector<ProcessGroup>(groups.begin(), groups.end());
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    Collected collected(study.store);
    for (const Track& track : tracks) {
        if (track.description.kind != TrackKind::Stream)
            continue;
        if (study.progress && !study.progress({"Reading process groups", 0, 0}))
            return cancelled();
        RETURN_IF_ERROR(collected.read(track));
    }
    const auto used = collected.groups();
    if (groups.empty())
        return std::vector<ProcessGroup>(used.begin(), used.end());
    std::vector<ProcessGroup> result;
    for (ProcessGroup group : groups) {
        if (Collected::isUnsaid(group))
            group.description = collected.purpose(group);
        result.push_back(std::move(group));
    }
    return result;
}

std::string groupText(const CollectiveDetail& detail) {
    std::string text = detail.description.empty() || detail.description == "undefined"
        ? detail.group
        : detail.description;
    if (detail.ranksText.empty())
        return text;
    return text + (text.empty() ? "" : " ") + detail.ranksText;
}

} // namespace trainscope::analysis
