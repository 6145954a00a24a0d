// Kernel lanes (a row per rank, or per stream where there is room) and thread lanes (nested).

#include "core/plot/timeline/LaneFrame.h"

#include <fmt/format.h>

#include <iterator>

namespace trainscope::plot {

namespace {

struct Row {
    Rect rect;
    double depthHeight = 0.0;
    std::vector<std::size_t> tracks; // into LaneData::spans
    std::string label;
    bool nested = false;
};

// Heights of a row in units of the body text; rows of lanes that share the window fill them.
constexpr double kTallestRow = 1.7;
constexpr double kStreamRow = 0.9;
constexpr double kShallowest = 0.3;
// Lines of a lane's name and what it is of.
constexpr double kNameLines = 3.0;
// A shorter beginning of a name tells nothing; bytes, the ellipsis' three included.
constexpr std::size_t kLeastName = 8;

// "rank 0" where the rank has one row, else "0 · stream 7", and "thread 7" where the lane's name
// says the rank.
std::string rowLabel(const LaneData& lane, const LaneSpans& track, bool isOnly) {
    static constexpr std::string_view kApart = " · ";
    const std::size_t name = track.label.find(kApart);
    if (lane.spec.style == LaneStyle::Thread && lane.spec.rank && name != std::string::npos)
        return track.label.substr(name + kApart.size());
    if (track.rank < 0)
        return track.label;
    static constexpr std::string_view kPrefix = "rank ";
    return isOnly ? fmt::format("rank {}", track.rank) : track.label.substr(kPrefix.size());
}

std::vector<Row> rowsByTrack(const LaneData& lane, bool nested) {
    std::vector<Row> rows;
    std::map<std::pair<std::size_t, int>, int> rowsOfRank;
    for (std::vector<std::size_t>& tracks : tracksByRow(lane.spans)) {
        const LaneSpans& first = lane.spans[tracks.front()];
        ++rowsOfRank[{first.run, first.rank}];
        rows.push_back({{}, 0.0, std::move(tracks), {}, nested});
    }
    for (Row& row : rows) {
        const LaneSpans& first = lane.spans[row.tracks.front()];
        row.label = rowLabel(lane, first, rowsOfRank.at({first.run, first.rank}) == 1);
    }
    return rows;
}

std::vector<Row> rowsByRank(const LaneData& lane) {
    std::map<std::pair<std::size_t, int>, Row> byRank;
    for (std::size_t i = 0; i < lane.spans.size(); ++i) {
        const auto& track = lane.spans[i];
        Row& row = byRank[{track.run, track.rank}];
        row.tracks.push_back(i);
        row.label = track.rank < 0 ? "no rank" : fmt::format("rank {}", track.rank);
    }
    std::vector<Row> rows;
    for (auto& entry : byRank)
        rows.push_back(std::move(entry.second));
    return rows;
}

int depthOf(const LaneData& lane, const Row& row) {
    int depth = 1;
    for (const std::size_t track : row.tracks)
        depth = row.nested ? std::max(lane.spans[track].depth, depth) : 1;
    return depth;
}

void place(std::vector<Row>& rows, const LaneFrame& frame, const LaneData& lane, double height) {
    int levels = 0;
    for (const auto& row : rows)
        levels += depthOf(lane, row);
    const double body = frame.size(TextRole::Body);
    const double filling = height / std::max(levels, 1);
    const double each = frame.style.sharesHeight ? filling : std::min(filling, kTallestRow * body);
    const double level = rows.front().nested ? std::max(each, kShallowest * body) : each;
    const double gap = level > 0.5 * body ? 0.5 * frame.gap() : 0.0;
    double y = frame.area.y;
    for (auto& row : rows) {
        const double rowHeight = level * depthOf(lane, row);
        row.rect = {frame.area.x, y, frame.area.width, std::max(rowHeight - gap, 0.4 * rowHeight)};
        row.depthHeight = row.rect.height / depthOf(lane, row);
        y += rowHeight;
    }
}

std::vector<Row> rowsOf(const LaneFrame& frame, const LaneData& lane, double height) {
    if (lane.spec.style == LaneStyle::Thread) {
        auto rows = rowsByTrack(lane, true);
        place(rows, frame, lane, height);
        return rows;
    }
    auto rows = rowsByTrack(lane, false);
    const double needed
        = kStreamRow * frame.size(TextRole::Body) * static_cast<double>(rows.size());
    if (needed > height)
        rows = rowsByRank(lane);
    place(rows, frame, lane, height);
    return rows;
}

const TimelineData::Name* findName(const TimelineData& data, NameId id) {
    const auto found = data.names.find(id);
    if (found != data.names.end())
        return &found->second;
    return data.behind ? findName(*data.behind, id) : nullptr;
}

// A colour that is paler the less of its time something ran.
Color paler(const LaneFrame& frame, Color color, float busy) {
    constexpr double steps = 8.0; // few, so that neighbours merge into one rectangle
    const double share
        = std::round(std::clamp(static_cast<double>(busy), 0.0, 1.0) * steps) / steps;
    return share >= 1.0 ? color : blend(frame.scene.background, color, 0.3 + 0.7 * share);
}

// Looks of groups. Groups repeat a few names, looked up once each.
class SpanLooks {
public:
    explicit SpanLooks(const LaneFrame& frame)
        : m_frame(frame) { }

    // `busy`: fraction of its time in which something ran.
    Color fillOf(NameId name, SpanKind kind, float busy = 1.0F) {
        const float share = std::clamp(busy, 0.0F, 1.0F);
        return lookOf(name, kind).shades[static_cast<std::size_t>(share * kShades + kRoundHalf)];
    }
    // nullptr where the name is not known.
    const TimelineData::Name* nameOf(const store::LodNode& group) {
        return lookOf(group.name, group.kind).name;
    }

private:
    static constexpr std::size_t kShades = 8;
    static constexpr std::size_t kKept = 256;

    struct Look {
        bool known = false;
        NameId id;
        SpanKind kind = SpanKind::Other;
        const TimelineData::Name* name = nullptr;
        std::array<Color, kShades + 1> shades{};
    };
    const Look& lookOf(NameId name, SpanKind kind) {
        Look& look = m_looks[static_cast<std::size_t>(name.value) % kKept];
        if (look.known && look.id == name && look.kind == kind)
            return look;
        look = {true, name, kind, findName(m_frame.data, name), {}};
        const bool categorised = look.name != nullptr && !look.name->category.empty();
        const Color color = categorised ? categoryColor(look.name->category) : spanKindColor(kind);
        for (std::size_t i = 0; i < kShades; ++i)
            look.shades[i]
                = paler(m_frame, color, static_cast<float>(i) / static_cast<float>(kShades));
        look.shades.back() = color;
        return look;
    }

    const LaneFrame& m_frame;
    std::vector<Look> m_looks = std::vector<Look>(kKept);
};

// Lower rows have no room for parts above each other.
constexpr double kLeastStack = 5.0;

// Colours for the bars of a row that is too low for stacks: each bar has one, and over the row each
// colour has its share of the length.
class Dither {
public:
    // The parts are colours with their lengths; not empty.
    Color next(const std::vector<std::pair<Color, double>>& parts) {
        double length = 0.0;
        for (const auto& [color, part] : parts) {
            owedTo(color) += part;
            length += part;
        }
        auto most = m_owed.begin();
        for (auto one = m_owed.begin(); one != m_owed.end(); ++one) {
            if (one->second > most->second)
                most = one;
        }
        most->second -= length;
        return most->first;
    }

private:
    double& owedTo(Color color) {
        const auto found = std::ranges::find_if(
            m_owed, [color](const auto& owed) { return owed.first == color; });
        return found != m_owed.end() ? found->second : m_owed.emplace_back(color, 0.0).second;
    }

    std::vector<std::pair<Color, double>> m_owed; // by colour: what it has not had yet
};

// One level of a track: bars, of which neighbours that look the same are joined, and the names that
// fit. A bar of many kernels is a stack of their categories, as high as the share of time in which
// one ran.
class SpanRow {
public:
    SpanRow(const LaneFrame& frame, SpanLooks& looks, Rect rect)
        : m_frame(frame)
        , m_looks(looks)
        , m_bars{rect, {}} { }

    void add(const store::LodNode& group, const SpanMix* mix, double left, double end) {
        const Rect& area = m_bars.area;
        const double right = std::min(std::max(end, left + m_frame.theme.lineWidth), area.right());
        if (right <= m_right)
            return; // under its neighbour's pixel
        const double begin = std::max(left, m_right);
        m_right = right;
        if (mix != nullptr && area.height >= kLeastStack) {
            addStack(group, *mix, begin, right);
            return;
        }
        const Color color = mix != nullptr
            ? ditheredColor(group, *mix, right - begin)
            : m_looks.fillOf(group.name, group.kind, group.count > 1 ? group.busyFraction : 1.0F);
        const bool named = group.count == 1 && right - left > 2.5 * m_frame.size();
        const bool joins = !named && m_joinable && begin <= m_bars.bars.back().right + 0.05
            && color == m_bars.bars.back().color;
        m_joinable = !named;
        if (joins) {
            m_bars.bars.back().right = right;
            return;
        }
        // A hair's breadth keeps neighbours of one colour apart.
        const double hair = named ? 0.5 * m_frame.theme.lineWidth : 0.0;
        m_bars.bars.push_back({begin, right - hair, color});
        if (named)
            addName(group, left, right - hair, color);
    }
    void finish() {
        auto& items = m_frame.scene.items;
        if (!m_bars.bars.empty())
            items.emplace_back(std::move(m_bars));
        std::move(m_names.begin(), m_names.end(), std::back_inserter(items));
    }

private:
    void addStack(const store::LodNode& group, const SpanMix& mix, double left, double right) {
        // A kernel in a long silence is seen.
        const double height = std::clamp(
            static_cast<double>(group.busyFraction), std::min(1.0 / m_bars.area.height, 1.0), 1.0);
        double from = 0.0;
        for (const auto& part : mix.parts) {
            const double to = from + height * static_cast<double>(part.share);
            m_bars.bars.push_back({left, right, m_looks.fillOf(part.name, part.kind),
                static_cast<float>(from), static_cast<float>(std::min(to, 1.0))});
            from = to;
        }
        m_joinable = false;
    }

    Color ditheredColor(const store::LodNode& group, const SpanMix& mix, double length) {
        std::vector<std::pair<Color, double>> parts;
        for (const auto& part : mix.parts)
            parts.emplace_back(
                m_looks.fillOf(part.name, part.kind), length * static_cast<double>(part.share));
        const Color color = m_dither.next(parts);
        return paler(m_frame, color, group.busyFraction);
    }

    void addName(const store::LodNode& group, double left, double right, Color color) {
        const Rect& area = m_bars.area;
        const auto* name = m_looks.nameOf(group);
        if (name == nullptr || area.height < 1.1 * m_frame.size())
            return;
        const double pad = 0.75 * m_frame.gap();
        const std::string_view full = shortKernelName(name->text);
        std::string text = m_frame.fitted(full, right - left - 2.0 * pad);
        if (text.empty() || (text != full && text.size() < kLeastName))
            return;
        const double y = m_frame.centred(area);
        m_names.push_back(Label{{left + pad, y}, std::move(text), readableOn(color),
            TextRole::Small, Align::Left, false, 0.0});
    }

    const LaneFrame& m_frame;
    SpanLooks& m_looks;
    Bars m_bars;
    std::vector<SceneItem> m_names;
    Dither m_dither;
    double m_right = -1e300;
    bool m_joinable = false;
};

// The streams of a rank in one row: each column is a stack of the categories that ran in it, as
// high as the share of its time; what ran at once shares the height.
class RankRow {
public:
    RankRow(const LaneFrame& frame, SpanLooks& looks, Rect rect)
        : m_frame(frame)
        , m_looks(looks)
        , m_rect(rect)
        , m_count(static_cast<std::size_t>(
              std::max(std::lround(rect.width * std::max(frame.style.columnsPerUnit, 1.0)), 1L)))
        , m_width(rect.width / static_cast<double>(m_count)) { }

    void add(const store::LodNode& group, const SpanMix* mix, double left, double end) {
        // The shortest kernel has half a column.
        const double right = std::min(std::max(end, left + 0.5 * m_width), m_rect.right());
        const double busy
            = group.count > 1 ? std::clamp(static_cast<double>(group.busyFraction), 0.0, 1.0) : 1.0;
        if (mix == nullptr) {
            cover(layerOf(group.name, group.kind), left, right, busy);
            return;
        }
        for (const auto& part : mix->parts)
            cover(
                layerOf(part.name, part.kind), left, right, busy * static_cast<double>(part.share));
    }

    void finish() {
        Bars bars{m_rect, {}};
        std::size_t first = 0; // bars of the column before
        for (std::size_t column = 0; column < m_count; ++column) {
            const auto parts = partsOf(column);
            const double left = m_rect.x + m_width * static_cast<double>(column);
            if (repeats(bars, first, parts, left)) {
                for (std::size_t i = first; i < bars.bars.size(); ++i)
                    bars.bars[i].right = left + m_width;
                continue;
            }
            first = bars.bars.size();
            for (const Bar& part : parts)
                bars.bars.push_back({left, left + m_width, part.color, part.from, part.to});
        }
        if (!bars.bars.empty())
            m_frame.scene.items.emplace_back(std::move(bars));
    }

private:
    static constexpr double kSteps = 64.0; // steps in the height, so that neighbours are alike

    struct Layer {
        Color color;
        std::size_t place = 0;
        std::vector<float> covered; // by column
    };
    Layer& layerOf(NameId name, SpanKind kind) {
        const Color color = m_looks.fillOf(name, kind);
        const auto found = std::ranges::find(m_layers, color, &Layer::color);
        if (found != m_layers.end())
            return *found;
        const auto* known = findName(m_frame.data, name);
        const std::size_t place = placeInLegend(known == nullptr ? "" : known->category);
        const auto behind = std::ranges::find_if(
            m_layers, [place](const Layer& layer) { return layer.place > place; });
        return *m_layers.insert(behind, {color, place, std::vector<float>(m_count, 0.0F)});
    }

    void cover(Layer& layer, double left, double right, double share) const {
        const double from = (left - m_rect.x) / m_width;
        const double to = (right - m_rect.x) / m_width;
        const auto last = std::min(static_cast<std::size_t>(std::max(to, 0.0)), m_count - 1);
        for (auto i = static_cast<std::size_t>(std::max(from, 0.0)); i <= last; ++i) {
            const auto begin = static_cast<double>(i);
            const double part = std::min(to, begin + 1.0) - std::max(from, begin);
            layer.covered[i] += static_cast<float>(share * std::max(part, 0.0));
        }
    }

    // The bars of a column, without their places.
    std::vector<Bar> partsOf(std::size_t column) {
        double sum = 0.0;
        for (const Layer& layer : m_layers)
            sum += static_cast<double>(layer.covered[column]);
        std::vector<Bar> parts;
        if (sum <= 0.0)
            return parts;
        const double height = std::clamp(sum, std::min(1.0 / m_rect.height, 1.0), 1.0);
        double from = 0.0;
        for (const Layer& layer : m_layers) {
            const double to = from + static_cast<double>(layer.covered[column]) / sum * height;
            const Bar bar{0.0, 0.0, layer.color, rounded(from), rounded(to)};
            if (bar.to > bar.from)
                parts.push_back(bar);
            from = to;
        }
        return m_rect.height >= kLeastStack ? parts : oneOf(column, sum);
    }

    std::vector<Bar> oneOf(std::size_t column, double sum) {
        std::vector<std::pair<Color, double>> parts;
        for (const Layer& layer : m_layers) {
            if (layer.covered[column] > 0.0F)
                parts.emplace_back(layer.color, static_cast<double>(layer.covered[column]) / sum);
        }
        const Color color = m_dither.next(parts);
        return {{0.0, 0.0, paler(m_frame, color, static_cast<float>(std::min(sum, 1.0)))}};
    }

    static float rounded(double share) {
        return static_cast<float>(std::round(share * kSteps) / kSteps);
    }

    static bool repeats(
        const Bars& bars, std::size_t first, const std::vector<Bar>& parts, double left) {
        if (parts.empty() || bars.bars.size() - first != parts.size()
            || bars.bars[first].right < left - 0.01)
            return false;
        return std::equal(parts.begin(), parts.end(),
            bars.bars.begin() + static_cast<std::ptrdiff_t>(first), [](const Bar& a, const Bar& b) {
                return a.color == b.color && a.from == b.from && a.to == b.to;
            });
    }

    const LaneFrame& m_frame;
    SpanLooks& m_looks;
    Rect m_rect;
    std::size_t m_count;
    double m_width;
    std::vector<Layer> m_layers; // in the order of legends
    Dither m_dither;
};

// The groups of a track at one level that touch [begin, end), cut at its ends; groups are in order
// of their begin.
template <typename SomeRow>
void addGroups(SomeRow& row, const LaneFrame& frame, const LaneSpans& track, ViewWindow stretch,
    std::optional<int> level) {
    const TimeScale& scale = frame.scale;
    const TimeNs origin = frame.data.runs[track.run].origin;
    const TimeNs begin = origin + stretch.begin;
    const TimeNs end = origin + stretch.end;
    const TimeNs zero = origin + scale.window.begin;
    const double perNs = scale.width / static_cast<double>(scale.window.length().ns);
    const double from = std::max(scale.toX(stretch.begin), frame.area.x);
    const double to = std::min(scale.toX(stretch.end), frame.area.right());
    const auto toX
        = [&](TimeNs time) { return scale.x + perNs * static_cast<double>((time - zero).ns); };
    auto mix = track.mixes.begin();
    for (std::size_t i = 0; i < track.spans.size(); ++i) {
        const store::LodNode& group = track.spans[i];
        while (mix != track.mixes.end() && mix->group < i)
            ++mix;
        if (group.range.begin >= end)
            return;
        if (group.range.end < begin || (level && group.depth != *level))
            continue;
        const double left = std::max(toX(group.range.begin), from);
        const double right = std::min(toX(group.range.end), to);
        const bool isMixed = mix != track.mixes.end() && mix->group == i;
        if (left < to)
            row.add(group, isMixed ? &*mix : nullptr, left, right);
    }
}

template <typename SomeRow>
void addTrack(SomeRow& row, const LaneFrame& frame, const LaneSpans& track, const LaneSpans* behind,
    std::optional<int> level) {
    const ViewWindow& seen = frame.scale.window;
    const ViewWindow& own = frame.data.window;
    if (behind != nullptr && seen.begin < own.begin)
        addGroups(row, frame, *behind, {seen.begin, std::min(own.begin, seen.end)}, level);
    addGroups(row, frame, track, seen, level);
    if (behind != nullptr && own.end < seen.end)
        addGroups(row, frame, *behind, {std::max(own.end, seen.begin), seen.end}, level);
}

const LaneSpans* trackBehind(const LaneFrame& frame, std::size_t index) {
    return frame.behind == nullptr ? nullptr : &frame.behind->spans[index];
}

void drawTrack(const LaneFrame& frame, SpanLooks& looks, const LaneData& lane, std::size_t index,
    const Row& row) {
    const LaneSpans& track = lane.spans[index];
    const int levels = row.nested ? std::max(track.depth, 1) : 1;
    for (int level = 0; level < levels; ++level) {
        const double y = row.rect.y + row.depthHeight * level;
        const double height = std::min(row.depthHeight, frame.area.bottom() - y);
        if (height <= 0.0 || y > frame.scene.height)
            return;
        if (y + height < 0.0)
            continue; // scrolled out of sight
        SpanRow spans(frame, looks,
            {frame.area.x, y, frame.area.width,
                row.nested && height > 4.0 ? height - 1.0 : height});
        addTrack(spans, frame, track, trackBehind(frame, index),
            row.nested ? std::optional<int>(level) : std::nullopt);
        spans.finish();
    }
}

// The label in that width.
std::string shortLabel(const LaneFrame& frame, std::string label, double room) {
    static constexpr std::string_view kRank = "rank ";
    if (frame.isNarrow() && label.starts_with(kRank))
        label = "r" + label.substr(kRank.size());
    // The number tells more than the word before it, and whole more than with half a name.
    for (const std::string_view word : {"thread ", "stream "}) {
        const std::size_t at = label.find(word);
        if (at != std::string::npos && frame.width(label) > room)
            label.erase(at, word.size());
    }
    const std::size_t name = label.find(" (");
    if (name != std::string::npos && frame.width(label) > room)
        label.resize(name);
    return frame.fitted(label, room);
}

// True where the tracks of a row are streams that run at once.
bool holdsStreams(const LaneData& lane, const Row& row) {
    return std::ranges::any_of(row.tracks, [&](std::size_t track) {
        return lane.spans[track].label != lane.spans[row.tracks.front()].label;
    });
}

void drawRow(const LaneFrame& frame, SpanLooks& looks, const LaneData& lane, const Row& row) {
    if (!holdsStreams(lane, row)) {
        for (const std::size_t track : row.tracks)
            drawTrack(frame, looks, lane, track, row);
        return;
    }
    const double height = std::min(row.depthHeight, frame.area.bottom() - row.rect.y);
    RankRow streams(frame, looks, {frame.area.x, row.rect.y, frame.area.width, height});
    for (const std::size_t track : row.tracks)
        addTrack(streams, frame, lane.spans[track], trackBehind(frame, track), std::nullopt);
    streams.finish();
}

// The name of the lane, beside the labels of its rows and above those that have the whole column.
void drawNames(const LaneFrame& frame, const LaneData& lane, const std::vector<Row>& rows) {
    const double gap = 1.5 * frame.gap();
    const double half = 0.55 * frame.size();
    // Below the lane's own name a label has the whole column.
    const double below = frame.area.y + kNameLines * frame.lineHeight(titleRole(frame)) + half;
    LaneFrame named = frame;
    double reserved = 0.0;
    double free = frame.lane.y;
    for (const auto& row : rows) {
        if (frame.data.runs.size() > 1)
            drawRunMark(frame, lane.spans[row.tracks.front()].run, row.rect.y, row.rect.height);
        const bool isBelow = row.nested
            && std::max(row.rect.y + half, below) + half
                <= std::min(row.rect.bottom() + 1.0, frame.lane.bottom());
        const double top = isBelow ? std::max(row.rect.y + half, below) : row.rect.y + half;
        const double y = row.nested ? top : row.rect.y + row.rect.height / 2.0;
        if (y - half < free - 0.01 || y + half > frame.lane.bottom())
            continue;
        free = y + half;
        // Numbers of threads are long; the lane's title comes first.
        const double beside = (row.nested ? 0.38 : 0.5) * frame.style.nameWidth;
        const double column = frame.area.x - frame.lane.x - 3.0 * frame.gap() - gap;
        const bool isWhole = isBelow || (y >= below && frame.width(row.label) > beside);
        std::string text = shortLabel(frame, row.label, isWhole ? column : beside);
        if (isWhole)
            named.lane.height = std::min(named.lane.height, y - half - named.lane.y);
        else
            reserved = std::max(reserved, frame.width(text) + gap);
        frame.note({frame.area.x - gap, frame.centred(y)}, std::move(text), Align::Right);
    }
    drawName(named, lane, reserved);
}

} // namespace

double spanLegendHeight(const Theme& theme) {
    return 1.6 * theme.size(TextRole::Small);
}

int spanLevels(const LaneData& lane) {
    const bool nested = lane.spec.style == LaneStyle::Thread;
    int levels = 0;
    for (const Row& row : nested ? rowsByTrack(lane, true) : rowsByRank(lane))
        levels += depthOf(lane, row);
    return levels;
}

double spansHeight(const LaneData& lane, const Theme& theme) {
    constexpr double name = 3.0; // the title and a line below it, in the size of the text
    const double body = theme.size(TextRole::Body);
    int levels = 0;
    for (const Row& row : rowsByTrack(lane, lane.spec.style == LaneStyle::Thread))
        levels += depthOf(lane, row);
    return std::max(levels * kTallestRow * body, name * body) + 4.0 * theme.spacing;
}

LaneGeometry drawSpans(const LaneFrame& frame, const LaneData& lane) {
    LaneGeometry geometry{frame.area, 0.0, 1.0, {}};
    if (lane.spans.empty()) {
        drawName(frame, lane, 0.0);
        drawEmpty(frame, "no kernels or threads were traced");
        return geometry;
    }
    double height = frame.area.height;
    const double legend = spanLegendHeight(frame.theme);
    if (!frame.style.legend && lane.spec.style == LaneStyle::Kernels && height > 4.0 * legend) {
        const auto entries = categoryEntries(frame.data, lane, frame.scale.window);
        const double rows = drawLegend(frame, entries, {}, frame.area.width, false);
        if (height > 2.5 * rows) {
            height -= rows;
            drawLegend(frame, entries, {frame.area.x, frame.area.bottom() - rows + 0.2 * legend},
                frame.area.width);
        }
    }
    const auto rows = rowsOf(frame, lane, height);
    SpanLooks looks(frame);
    for (const auto& row : rows) {
        if (row.rect.y >= frame.area.bottom())
            break;
        drawRow(frame, looks, lane, row);
        for (const std::size_t track : row.tracks)
            geometry.rows.push_back({row.rect, track, depthOf(lane, row)});
    }
    drawNames(frame, lane, rows);
    return geometry;
}

} // namespace trainscope::plot
