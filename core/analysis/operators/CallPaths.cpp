#include "core/analysis/operators/CallPaths.h"

#include "core/analysis/traces/SumColumns.h"

namespace trainscope::analysis {

namespace {

std::uint64_t pairKey(std::uint32_t high, std::uint32_t low) {
    return (std::uint64_t{high} << 32U) | low;
}

// Columns of a frame and of a path.
using FrameRow = std::array<std::int64_t, 4>;
using PathNumbers = std::array<std::int64_t, 2>;

constexpr auto kWorkColumns = [](auto& row) {
    return std::array{&row.path, &row.count, &row.carried, &row.time.ns, &row.busy.ns,
        &row.shortest.ns, &row.longest.ns, &row.longestAt.ns};
};
constexpr auto kTotalColumns = [](auto& row) {
    return std::array{&row.total, &row.calls, &row.works, &row.carried, &row.time.ns, &row.busy.ns};
};
using ForwardRow = std::array<std::int64_t, 3>; // sequence number, path, thread

// The first column is a number below `end`, ascending.
template <typename Row, typename Of>
bool takeNumbered(store::ByteReader& in, std::size_t end, std::vector<Row>& rows, Of&& of) {
    if (!takeRows(in, rows, of))
        return false;
    std::int64_t last = -1;
    return std::ranges::all_of(rows, [&](const Row& row) {
        const std::int64_t number = *of(row)[0];
        return number > std::exchange(last, number) && std::cmp_less(number, end);
    });
}

} // namespace

std::uint32_t CallPaths::Texts::add(std::string_view text) {
    const auto next = static_cast<std::uint32_t>(list.size());
    const auto [known, isNew] = numbers.emplace(text, next);
    if (isNew)
        list.emplace_back(text);
    return known->second;
}

void CallPaths::Texts::encode(store::Bytes& out) const {
    store::ByteWriter writer(out);
    writer.varint(list.size());
    for (const std::string& text : list)
        writer.block({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool CallPaths::Texts::decode(store::ByteReader& in) {
    const std::uint64_t count = in.varint();
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        const store::ByteView bytes = in.block();
        add({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return in.ok() && list.size() == count;
}

CallPaths::CallPaths() {
    constexpr float kSparse = 0.5F;
    m_pathsByKey.max_load_factor(kSparse);
    m_names.add({});
    m_signatures.add({});
    m_frames.push_back({});
    m_framesByKey[0].push_back(0);
    m_paths.push_back({});
    for (std::size_t i = 0; i < kPasses; ++i) {
        CallTotal ofPass;
        ofPass.of = CallTotal::Of::Pass;
        ofPass.pass = static_cast<StepPass>(i);
        m_totals.push_back(ofPass);
    }
}

std::uint32_t CallPaths::frame(const CallFrame& frame) {
    auto& same = m_framesByKey[pairKey(frame.name, frame.signature)];
    for (const std::uint32_t known : same) {
        if (m_frames[known] == frame)
            return known;
    }
    same.push_back(static_cast<std::uint32_t>(m_frames.size()));
    m_frames.push_back(frame);
    return same.back();
}

StepPass CallPaths::passBelow(StepPass parent, Told told) const {
    const bool isInBackward = parent == StepPass::Backward || parent == StepPass::Recomputation;
    switch (told) {
    case Told::BackwardNode:
    case Told::Backward:
        return StepPass::Backward;
    case Told::Optimizer:
        return StepPass::Optimizer;
    case Told::ForwardNode:
        return isInBackward ? StepPass::Recomputation : StepPass::Forward;
    case Told::Forward:
        return isInBackward ? parent : StepPass::Forward;
    case Told::Nothing:
        break;
    }
    return parent;
}

std::uint32_t CallPaths::total(const CallTotal& total) {
    const std::uint64_t key
        = pairKey(total.name, total.signature) * 4 + static_cast<std::uint64_t>(total.of);
    const auto next = static_cast<std::uint32_t>(m_totals.size());
    const auto [known, isNew] = m_totalsByKey.emplace(key, next);
    if (isNew)
        m_totals.push_back(total);
    return known->second;
}

std::uint32_t CallPaths::below(std::uint32_t parent, std::uint32_t frame) {
    const auto next = static_cast<std::uint32_t>(m_paths.size());
    const auto known = m_pathsByKey.find(pairKey(parent, frame));
    if (known != m_pathsByKey.end())
        return known->second;
    const CallFrame& what = m_frames[frame];
    // A leaf stays a leaf: work of what is not kept is work of its caller.
    if (next >= kMost && !isWork(what.kind)) {
        m_isFull = true;
        return parent;
    }
    m_pathsByKey.emplace(pairKey(parent, frame), next);
    Path path;
    path.parent = parent;
    path.frame = frame;
    path.kind = what.kind;
    path.pass = passBelow(m_paths[parent].pass, what.told);
    path.nearestOperator = m_paths[parent].nearestOperator;
    switch (what.kind) {
    case FrameKind::Operator:
        path.nearestOperator = next;
        path.total = total({CallTotal::Of::Operator, StepPass::None, what.name, 0, {}});
        path.shapeTotal
            = total({CallTotal::Of::Shape, StepPass::None, what.name, what.signature, {}});
        break;
    case FrameKind::Module:
        path.total = total({CallTotal::Of::Module, StepPass::None, what.name, 0, {}});
        break;
    case FrameKind::Annotation:
        path.total = total({CallTotal::Of::Annotation, StepPass::None, what.name, 0, {}});
        break;
    default:
        break;
    }
    if (isWork(what.kind))
        m_paths[parent].launches = true;
    m_paths.push_back(path);
    return next;
}

std::uint32_t CallPaths::selfOf(std::uint32_t path) {
    CallFrame self;
    self.kind = FrameKind::Self;
    self.name = m_frames[m_paths[path].frame].name;
    return below(path, frame(self));
}

CallTree CallPaths::tree() const {
    CallTree tree;
    tree.hasHost = m_hasHost;
    tree.isOfHost = m_isOfHost;
    tree.isFull = m_isFull;
    tree.names = m_names.list;
    tree.signatures = m_signatures.list;
    tree.hasShapes = tree.signatures.size() > 1;
    tree.totals = m_totals;
    tree.nodes.reserve(m_paths.size());
    for (const Path& path : m_paths) {
        const CallFrame& frame = m_frames[path.frame];
        tree.hasModules = tree.hasModules || frame.kind == FrameKind::Module;
        tree.nodes.push_back(
            {frame.kind, path.pass, path.parent, frame.name, frame.signature, {}, {}, {}, {}});
    }
    return tree;
}

void CallPaths::encode(store::Bytes& out) const {
    store::ByteWriter(out).u8(static_cast<std::uint8_t>(
        (m_hasHost ? 1U : 0U) + (m_isFull ? 2U : 0U) + (m_isOfHost ? 4U : 0U)));
    m_names.encode(out);
    m_signatures.encode(out);
    std::vector<FrameRow> frames;
    for (const CallFrame& frame : m_frames)
        frames.push_back({static_cast<std::int64_t>(frame.kind),
            static_cast<std::int64_t>(frame.told), frame.name, frame.signature});
    putRows<FrameRow>(frames, kArrayColumns, out);
    std::vector<PathNumbers> paths;
    for (const Path& path : m_paths)
        paths.push_back({path.parent, path.frame});
    putRows<PathNumbers>(paths, kArrayColumns, out);
}

bool CallPaths::decode(store::ByteView bytes, CallPaths& paths) {
    store::ByteReader in(bytes);
    CallPaths read;
    const std::uint8_t flags = in.u8();
    read.m_hasHost = (flags & 1U) != 0;
    read.m_isOfHost = (flags & 4U) != 0;
    if (!read.m_names.decode(in) || !read.m_signatures.decode(in))
        return false;
    std::vector<FrameRow> frames;
    std::vector<PathNumbers> rows;
    if (!takeRows(in, frames, kArrayColumns) || !takeRows(in, rows, kArrayColumns)
        || in.left() != 0)
        return false;
    const auto isBelow = [](std::int64_t value, std::size_t end) {
        return value >= 0 && std::cmp_less(value, end);
    };
    for (std::size_t i = 1; i < frames.size(); ++i) {
        const auto& [kind, told, name, signature] = frames[i];
        if (!isBelow(kind, static_cast<std::size_t>(FrameKind::Self) + 1)
            || !isBelow(told, static_cast<std::size_t>(Told::BackwardNode) + 1)
            || !isBelow(name, read.m_names.list.size())
            || !isBelow(signature, read.m_signatures.list.size()))
            return false;
        const CallFrame frame{static_cast<FrameKind>(kind), static_cast<Told>(told),
            static_cast<std::uint32_t>(name), static_cast<std::uint32_t>(signature)};
        if (read.frame(frame) != i)
            return false;
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
        const auto& [parent, frame] = rows[i];
        if (!isBelow(parent, i) || !isBelow(frame, read.m_frames.size())
            || read.below(static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(frame))
                != i)
            return false;
    }
    read.m_isFull = (flags & 2U) != 0;
    paths = std::move(read);
    return true;
}

void encodePart(const CallPart& part, store::Bytes& out) {
    store::ByteWriter(out).signedVarint(part.since.ns);
    putRows<CallPart::Frame>(part.frames, kFrameColumns, out);
    putRows<CallPart::Work>(part.works, kWorkColumns, out);
    putRows<CallPart::Total>(part.totals, kTotalColumns, out);
    std::vector<ForwardRow> forward;
    for (const auto& [sequence, call] : part.forward)
        forward.push_back({sequence, call.path, call.thread});
    putRows<ForwardRow>(forward, kArrayColumns, out);
}

std::optional<CallPart> decodePart(store::ByteView bytes, const CallPaths& paths) {
    store::ByteReader in(bytes);
    CallPart part;
    part.since.ns = in.signedVarint();
    std::vector<ForwardRow> forward;
    const bool isWhole = takeNumbered(in, paths.size(), part.frames, kFrameColumns)
        && takeNumbered(in, paths.size(), part.works, kWorkColumns)
        && takeNumbered(in, paths.totals(), part.totals, kTotalColumns)
        && takeNumbered(in, static_cast<std::size_t>(kAllTime.end.ns), forward, kArrayColumns);
    if (!isWhole || !in.ok() || in.left() != 0)
        return std::nullopt;
    for (const auto& [sequence, path, thread] : forward) {
        if (path >= 0 && std::cmp_less(path, paths.size()) && thread >= 0)
            part.forward.emplace(sequence,
                ForwardCall{static_cast<std::uint32_t>(path), static_cast<std::uint32_t>(thread)});
    }
    return part;
}

} // namespace trainscope::analysis
