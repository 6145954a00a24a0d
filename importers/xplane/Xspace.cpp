#include "importers/xplane/Xspace.h"

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "importers/common/MessageFields.h"

namespace trainscope::importers::xplane {

namespace {

// Numbers of fields in xplane.proto.
struct SpaceField {
    enum : std::uint32_t { kPlane = 1, kHost = 4 };
};
struct PlaneField {
    enum : std::uint32_t { kName = 2, kLine = 3, kKind = 4, kStatName = 5, kStat = 6 };
};
struct LineField {
    enum : std::uint32_t { kId = 1, kName = 2, kStart = 3, kEvent = 4, kShownName = 11 };
};
struct EventField {
    enum : std::uint32_t { kKind = 1, kOffset = 2, kDuration = 3, kStat = 4, kOccurrences = 5 };
};
struct StatField {
    enum : std::uint32_t {
        kName = 1,
        kDouble = 2,
        kUnsigned = 3,
        kSigned = 4,
        kText = 5,
        kReference = 7
    };
};
struct KindField {
    enum : std::uint32_t { kName = 2, kShownName = 4, kStat = 5 };
};

constexpr std::size_t kLongestName = 8192;
constexpr std::size_t kLongestStats = 65536; // for a kind of event
constexpr std::size_t kMostPlanes = 4096;
constexpr std::size_t kMostLines = 100'000; // in a plane

// Reads key and value of a map's entry.
bool takeEntry(std::string_view message, std::int64_t& key, std::string_view& value) {
    return eachField(message, [&](const MessageField& field) {
        if (field.number == 1)
            key = field.whole();
        else if (field.number == 2)
            value = field.bytes;
    });
}

// Names are cut in their middle of a character at worst: sinks replace what is no UTF-8.
std::string nameFrom(std::string_view text) {
    return std::string(text.substr(0, kLongestName));
}

// A stat as it stands in `stats` texts: with its length in front, as a field of any number.
void keepStat(std::string_view stat, std::string& into) {
    constexpr unsigned kByte = 8;
    for (unsigned i = 0; i < 4; ++i)
        into.push_back(static_cast<char>(stat.size() >> (kByte * i) & 0xFFU));
    into.append(stat);
}

struct StatValue {
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::string_view text;
};

// The facts that are of use, by their names.
void assignStat(std::string_view name, const StatValue& value, Stats& into) {
    using Whole = std::optional<std::int64_t> Stats::*;
    using Real = std::optional<double> Stats::*;
    using Text = std::string_view Stats::*;
    static constexpr std::array<std::pair<std::string_view, Whole>, 6> kWholes{
        {{"flops", &Stats::flops}, {"bytes_accessed", &Stats::bytesAccessed},
            {"correlation_id", &Stats::correlation}, {"step_num", &Stats::step},
            {"group_id", &Stats::group}, {"profile_start_time", &Stats::profileStart}}};
    static constexpr std::array<std::pair<std::string_view, Real>, 3> kReals{
        {{"peak_teraflops_per_second", &Stats::peakTeraflops},
            {"peak_hbm_bw_gigabytes_per_second", &Stats::peakGigabytes},
            {"peak_bw_gigabytes_per_second", &Stats::peakGigabytes}}};
    static constexpr std::array<std::pair<std::string_view, Text>, 9> kTexts{
        {{"hlo_category", &Stats::hloCategory}, {"hlo_op", &Stats::hloOp},
            {"hlo_module", &Stats::hloModule}, {"tf_op", &Stats::frameworkOp},
            {"shape_with_layout", &Stats::shape}, {"kernel_details", &Stats::kernelDetails},
            {"memcpy_details", &Stats::copyDetails}, {"memset_details", &Stats::copyDetails},
            {"device_type_string", &Stats::deviceType}}};
    for (const auto& [known, member] : kWholes) {
        if (known == name && value.whole)
            into.*member = value.whole;
    }
    for (const auto& [known, member] : kReals) {
        if (known == name && value.real)
            into.*member = value.real;
    }
    for (const auto& [known, member] : kTexts) {
        if (known == name && !value.text.empty())
            into.*member = value.text;
    }
}

// The number of a fact's name, and its value.
bool readStat(std::string_view stat, const Plane& plane, std::int64_t& id, StatValue& value) {
    return eachField(stat, [&](const MessageField& field) {
        switch (field.number) {
        case StatField::kName:
            id = field.whole();
            break;
        case StatField::kDouble:
            value.real = std::bit_cast<double>(field.value);
            value.whole = nearestWhole<std::int64_t>(*value.real);
            break;
        case StatField::kUnsigned:
        case StatField::kSigned:
            value.whole = field.whole();
            value.real = static_cast<double>(*value.whole);
            break;
        case StatField::kText:
            value.text = field.bytes;
            break;
        case StatField::kReference:
            if (const auto text = plane.statNames.find(field.whole());
                text != plane.statNames.end())
                value.text = text->second;
            break;
        default:
            break;
        }
    });
}

PlaneKind kindOfPlane(Plane& plane) {
    constexpr std::string_view kDevice = "/device:";
    constexpr std::string_view kHost = "/host:";
    const std::string_view name = plane.name;
    if (name == "/host:metadata" || name == "Task Environment" || name == "/host:Task Environment")
        return PlaneKind::Facts;
    if (name.starts_with(kHost))
        return PlaneKind::Host;
    if (!name.starts_with(kDevice))
        return PlaneKind::Other;
    const std::size_t colon = name.find(':', kDevice.size());
    if (colon == std::string_view::npos)
        return PlaneKind::Other;
    const std::string_view rest = name.substr(colon + 1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const auto number = wholeNumber<int>(rest.substr(0, digits));
    constexpr int kMostDevices = 4096;
    if (!number || *number >= kMostDevices)
        return PlaneKind::Other;
    plane.device = *number;
    plane.part = trimmed(rest.substr(digits));
    return PlaneKind::Device;
}

void takeKind(std::string_view message, Space& space, Plane& plane) {
    std::int64_t id = 0;
    EventKind kind;
    std::string_view value;
    const bool isSound
        = takeEntry(message, id, value) && eachField(value, [&](const MessageField& field) {
              if (field.number == KindField::kName)
                  kind.name = nameFrom(field.bytes);
              else if (field.number == KindField::kShownName)
                  kind.shortName = nameFrom(field.bytes);
              else if (field.number != KindField::kStat)
                  return;
              else if (kind.stats.size() + field.bytes.size() < kLongestStats)
                  keepStat(field.bytes, kind.stats);
              else
                  ++space.tooLong;
          });
    space.damages += isSound ? 0 : 1;
    plane.kinds.insert_or_assign(id, std::move(kind));
}

void takeStatName(std::string_view message, Space& space, Plane& plane) {
    std::int64_t id = 0;
    std::string_view value;
    std::string name;
    const bool isSound
        = takeEntry(message, id, value) && eachField(value, [&](const MessageField& field) {
              if (field.number == 2)
                  name = nameFrom(field.bytes);
          });
    space.damages += isSound ? 0 : 1;
    plane.statNames.insert_or_assign(id, std::move(name));
}

// Reads a line's own fields; its events are counted.
void takeLine(WireStream& wire, Plane& plane) {
    Line line;
    WireField field;
    std::string shownName;
    while (wire.next(field)) {
        switch (field.number) {
        case LineField::kId:
            line.id = std::bit_cast<std::int64_t>(field.value);
            break;
        case LineField::kStart:
            line.start = std::bit_cast<std::int64_t>(field.value);
            break;
        case LineField::kName:
        case LineField::kShownName:
            if (const auto text = wire.bytes())
                (field.number == LineField::kName ? line.name : shownName) = nameFrom(*text);
            break;
        case LineField::kEvent:
            ++line.events;
            break;
        default:
            break;
        }
    }
    if (line.name.empty())
        line.name = std::move(shownName);
    if (plane.lines.size() < kMostLines)
        plane.lines.push_back(std::move(line));
}

void takePlaneField(WireStream& wire, const WireField& field, Space& space, Plane& plane) {
    if (field.number == PlaneField::kLine && field.isBytes) {
        wire.enter();
        takeLine(wire, plane);
        wire.leave();
        return;
    }
    const bool isKnown = field.isBytes
        && (field.number == PlaneField::kName || field.number == PlaneField::kKind
            || field.number == PlaneField::kStatName || field.number == PlaneField::kStat);
    if (!isKnown)
        return;
    const auto text = wire.bytes();
    if (!text) {
        space.tooLong += wire.isCut() ? 0 : 1;
        return;
    }
    if (field.number == PlaneField::kName)
        plane.name = nameFrom(*text);
    else if (field.number == PlaneField::kKind && plane.name != "/host:metadata")
        takeKind(*text, space, plane);
    else if (field.number == PlaneField::kStatName)
        takeStatName(*text, space, plane);
    else if (field.number == PlaneField::kStat && plane.stats.size() + text->size() < kLongestStats)
        keepStat(*text, plane.stats);
}

Plane takePlane(WireStream& wire, Space& space) {
    Plane plane;
    WireField field;
    while (wire.next(field))
        takePlaneField(wire, field, space, plane);
    plane.kind = kindOfPlane(plane);
    return plane;
}

std::optional<Event> eventFrom(std::string_view message, std::string& stats) {
    Event event;
    stats.clear();
    const bool isSound = eachField(message, [&](const MessageField& field) {
        switch (field.number) {
        case EventField::kKind:
            event.kind = field.whole();
            break;
        case EventField::kOffset:
            event.offsetPs = field.whole();
            break;
        case EventField::kDuration:
            event.durationPs = field.whole();
            break;
        case EventField::kOccurrences:
            event.isSum = true;
            break;
        case EventField::kStat:
            keepStat(field.bytes, stats);
            break;
        default:
            break;
        }
    });
    event.stats = stats;
    return isSound ? std::optional(event) : std::nullopt;
}

// The events of one line.
Status walkLine(WireStream& wire, const Plane& plane, const Line& line, const EventVisitor& visitor,
    std::int64_t& damages) {
    WireField field;
    std::string stats;
    while (wire.next(field)) {
        if (field.number != LineField::kEvent || !field.isBytes)
            continue;
        const auto message = wire.bytes();
        const auto event = message ? eventFrom(*message, stats) : std::nullopt;
        if (event)
            RETURN_IF_ERROR(visitor.event(plane, line, *event));
        else
            ++damages;
    }
    return visitor.endOfLine(plane, line);
}

Status walkPlane(
    WireStream& wire, const Plane& plane, const EventVisitor& visitor, std::int64_t& damages) {
    WireField field;
    std::size_t at = 0;
    while (wire.next(field)) {
        if (field.number != PlaneField::kLine || !field.isBytes || at >= plane.lines.size())
            continue;
        wire.enter();
        RETURN_IF_ERROR(walkLine(wire, plane, plane.lines[at++], visitor, damages));
        wire.leave();
    }
    return {};
}

} // namespace

const EventKind* Plane::kindOf(std::int64_t number) const {
    const auto found = kinds.find(number);
    return found == kinds.end() ? nullptr : &found->second;
}

void Plane::take(std::string_view kept, Stats& into) const {
    constexpr std::size_t kLength = 4;
    constexpr unsigned kByte = 8;
    while (kept.size() >= kLength) {
        std::size_t size = 0;
        for (std::size_t i = kLength; i-- > 0;)
            size = size << kByte | static_cast<unsigned char>(kept[i]);
        const std::string_view stat = kept.substr(kLength, size);
        kept.remove_prefix(std::min(kept.size(), kLength + size));
        std::int64_t id = 0;
        StatValue value;
        const bool isSound = readStat(stat, *this, id, value);
        const auto known = statNames.find(id);
        if (isSound && known != statNames.end())
            assignStat(known->second, value, into);
    }
}

bool isSpace(std::string_view head) {
    // The first plane, and its name behind its number.
    std::size_t at = 0;
    const auto byte = [&]() -> unsigned {
        return at < head.size() ? static_cast<unsigned char>(head[at++]) : 0x100U;
    };
    const auto passNumber = [&]() {
        constexpr int kMostBytes = 10;
        for (int i = 0; i < kMostBytes; ++i) {
            const unsigned one = byte();
            if (one < 0x80U || one > 0xFFU)
                return one < 0x80U;
        }
        return false;
    };
    constexpr unsigned kPlaneTag = 0x0A;
    constexpr unsigned kIdTag = 0x08;
    constexpr unsigned kNameTag = 0x12;
    if (byte() != kPlaneTag || !passNumber())
        return false;
    unsigned tag = byte();
    if (tag == kIdTag) {
        if (!passNumber())
            return false;
        tag = byte();
    }
    const unsigned length = tag == kNameTag ? byte() : 0x100U;
    if (length < 6 || length >= 0x80U)
        return false;
    const std::string_view name = head.substr(std::min(at, head.size()), length);
    return name.starts_with("/device:") || name.starts_with("/host:")
        || name.starts_with("Task Environment") || name.starts_with("#Chip");
}

Result<Space> readSpace(
    const SourceTree& tree, const std::string& path, const WireStream::GoesOn& goesOn) {
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    WireStream wire(*stream, goesOn);
    Space space;
    WireField field;
    while (wire.next(field)) {
        if (!field.isBytes)
            continue;
        if (field.number == SpaceField::kPlane && space.planes.size() < kMostPlanes) {
            wire.enter();
            space.planes.push_back(takePlane(wire, space));
            wire.leave();
        } else if (field.number == SpaceField::kHost) {
            const auto text = wire.bytes();
            if (text && space.hosts.size() < kMostPlanes)
                space.hosts.push_back(nameFrom(*text));
        }
    }
    if (wire.isCancelled())
        return cancelled();
    space.damages += wire.damages();
    space.bytes = wire.offset();
    if (wire.isCut())
        space.problem = wire.problem().empty()
            ? "the file is cut short or damaged at byte " + std::to_string(wire.offset())
            : wire.problem();
    return space;
}

Status eachEvent(const SourceTree& tree, const std::string& path, const Space& space,
    const WireStream::GoesOn& goesOn, const EventVisitor& visitor, std::int64_t& damages) {
    ASSIGN_OR_RETURN(const auto stream, tree.open(path));
    WireStream wire(*stream, goesOn);
    WireField field;
    std::size_t at = 0;
    while (wire.next(field)) {
        if (field.number != SpaceField::kPlane || !field.isBytes || at >= space.planes.size())
            continue;
        const Plane& plane = space.planes[at++];
        if (plane.kind != visitor.kind)
            continue;
        wire.enter();
        RETURN_IF_ERROR(walkPlane(wire, plane, visitor, damages));
        wire.leave();
    }
    return wire.isCancelled() ? Status(cancelled()) : Status();
}

} // namespace trainscope::importers::xplane
