#include "importers/perfetto/GpuStages.h"

#include "core/model/SpanFacts.h"
#include "core/model/WholeNumber.h"
#include "importers/common/MessageFields.h"

namespace trainscope::importers::perfetto {

namespace {

JsonToken tokenOf(std::string_view json) {
    const char first = json.empty() ? '\0' : json.front();
    if (first == '"')
        return {TokenKind::String, json.find('\\') == json.npos, json.substr(1, json.size() - 2)};
    const bool isNumber = first == '-' || (first >= '0' && first <= '9');
    return {first == '{'    ? TokenKind::Object
            : first == '['  ? TokenKind::Array
            : isNumber      ? TokenKind::Number
            : first == '\0' ? TokenKind::None
                            : TokenKind::Literal,
        true, json};
}

// Decimal µs.
void appendUs(std::int64_t ns, std::string& out) {
    constexpr std::int64_t kNsPerUs = 1000;
    const std::string fraction = std::to_string(kNsPerUs + ns % kNsPerUs);
    out.append(std::to_string(ns / kNsPerUs)).append(1, '.').append(fraction, 1);
}

using Arguments = std::map<std::string, std::string>; // JSON by key

// Whole numbers as such, but for those that are names.
std::string valueJson(std::string_view key, std::string_view text) {
    const auto number = wholeNumber<std::int64_t>(text);
    const bool isNumber = number && std::to_string(*number) == text;
    return isNumber && !key.starts_with("Process Group") ? std::string(text) : inQuotes(text);
}

// "stream 007" is the stream 7.
std::string streamOf(std::string_view queue) {
    const std::string_view digits = queue.substr(queue.find_last_not_of("0123456789") + 1);
    const auto number = wholeNumber<std::int64_t>(digits);
    return number ? std::to_string(*number) : inQuotes(queue);
}

std::string_view toldText(
    const Sequence& sequence, Told kind, const std::optional<std::uint64_t>& number) {
    const std::string* const text = number ? sequence.text(kind, *number) : nullptr;
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

std::string dimensions(std::string_view message) {
    std::array<std::uint64_t, 3> sizes{1, 1, 1};
    readFields(message, {{1, sizes.data()}, {2, &sizes[1]}, {3, &sizes[2]}});
    return "[" + std::to_string(sizes[0]) + "," + std::to_string(sizes[1]) + ","
        + std::to_string(sizes[2]) + "]";
}

void takeComputeArgument(std::string_view message, const Sequence& sequence, Arguments& arguments) {
    std::optional<std::uint64_t> keyNumber, count, textNumber;
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::string_view key, text;
    readFields(message,
        {{1, &keyNumber}, {2, &key}, {3, &whole}, {4, &count}, {5, &real}, {6, &text},
            {7, &textNumber}});
    key = keyNumber ? toldText(sequence, Told::Arguments, keyNumber) : key;
    const std::string value = whole ? std::to_string(*whole)
        : count                     ? std::to_string(*count)
        : real                      ? realJson(*real)
        : textNumber                ? inQuotes(toldText(sequence, Told::Values, textNumber))
                                    : inQuotes(text);
    if (!key.starts_with("shared_mem_")) {
        arguments[key == "registers_per_thread" ? "registers per thread" : std::string(key)]
            = value;
        return;
    }
    std::string& shared = arguments["shared memory"]; // static and dynamic
    shared = std::to_string(clampedSum(wholeNumber<std::int64_t>(shared).value_or(0),
        wholeNumber<std::int64_t>(value).value_or(0)));
}

void takeLaunch(std::string_view message, const Sequence& sequence, Arguments& arguments) {
    std::string_view grid, block;
    std::vector<std::string_view> others;
    readFields(message, {{1, &grid}, {2, &block}, {3, &others}});
    for (const std::string_view other : others)
        takeComputeArgument(other, sequence, arguments);
    arguments["grid"] = dimensions(grid);
    arguments["block"] = dimensions(block);
}

void takeExtra(std::string_view message, Arguments& arguments) {
    std::string_view key, value;
    readFields(message, {{1, &key}, {2, &value}});
    for (const std::string_view known : {"device id", "stream id", "context id"})
        key = key == known ? key.substr(0, key.size() - 3) : key;
    arguments[std::string(key)] = valueJson(key, value);
}

// `stage`: its category, a digit, and name.
std::string_view categoryOf(std::string_view stage, bool isKernel) {
    const std::string_view name = stage.substr(std::min<std::size_t>(stage.size(), 1));
    if (containsIgnoringCase(name, "memcpy"))
        return "gpu_memcpy";
    if (containsIgnoringCase(name, "memset"))
        return "gpu_memset";
    if (name == "Annotation")
        return "gpu_user_annotation";
    if (name == kGraphEvent || name == kGraphHost)
        return name == kGraphEvent ? "graph_event_node" : "graph_host_node";
    return isKernel || stage.starts_with('2') || name == "Kernel" ? "kernel" : "render stage";
}

} // namespace

void EventWriter::write(const MadeEvent& event) {
    constexpr std::size_t kNumbers = 96; // the most bytes of phase, moment and duration
    const std::string_view arguments
        = event.arguments == nullptr ? std::string_view() : event.arguments->text();
    m_text.clear();
    // Views into the text stay where they are.
    m_text.reserve(event.category.size() + event.name.size() + event.process.size()
        + event.thread.size() + event.id.size() + arguments.size() + kNumbers);
    const auto put = [this](std::string_view text) {
        m_text.append(text);
        return std::string_view(m_text).substr(m_text.size() - text.size());
    };
    const auto putUs = [this](std::int64_t ns) {
        const std::size_t begin = m_text.size();
        appendUs(ns, m_text);
        return JsonToken{TokenKind::Number, true, std::string_view(m_text).substr(begin)};
    };
    m_event.clear();
    m_event.ph = {TokenKind::String, true, put({&event.phase, 1})};
    if (!event.category.empty())
        m_event.cat = {TokenKind::String, true, put(event.category)};
    m_event.name = {TokenKind::String, true, put(event.name)};
    m_event.pid = tokenOf(put(event.process));
    m_event.tid = tokenOf(put(event.thread));
    m_event.ts = putUs(event.ns);
    if (event.duration)
        m_event.dur = putUs(*event.duration);
    m_event.id = tokenOf(put(event.id));
    if (event.arguments != nullptr) {
        const std::string_view text = put(arguments);
        for (const Members::Place& place : event.arguments->places())
            m_event.args.push_back({tokenOf(text.substr(place.key, place.value - 1 - place.key)),
                tokenOf(text.substr(place.value, place.end - place.value))});
    }
    m_take(m_event, m_text);
}

void StageWaits::take(std::string_view stage) {
    std::uint64_t id = 0;
    std::vector<std::uint64_t> waits;
    readFields(stage, {{1, &id}, {18, &waits}});
    for (const std::uint64_t other : waits) {
        const auto edge = static_cast<std::int64_t>(m_ends.size() / 2);
        if (m_ends.size() / 2 >= kMost) {
            ++m_leftOut;
            continue;
        }
        m_ends.emplace(other, End{edge, false});
        m_ends.emplace(id, End{edge, true});
    }
}

void GpuStages::addStage(const Packet& packet) {
    const Sequence& sequence = *packet.sequence;
    std::uint64_t id = 0;
    std::int64_t duration = 0;
    std::int64_t gpu = 0;
    std::string_view launch, own;
    std::optional<std::uint64_t> queueNumber, stageNumber, kernel, nameNumber;
    std::vector<std::string_view> extras;
    readFields(packet.stage,
        {{1, &id}, {2, &duration}, {6, &extras}, {11, &gpu}, {13, &queueNumber}, {14, &stageNumber},
            {17, &own}, {19, &kernel}, {20, &nameNumber}, {21, &launch}});
    const std::string_view queue = toldText(sequence, Told::Stages, queueNumber);
    const std::string_view stage = toldText(sequence, Told::Stages, stageNumber);
    Arguments arguments;
    for (const std::string_view extra : extras)
        takeExtra(extra, arguments);
    if (!launch.empty())
        takeLaunch(launch, sequence, arguments);
    const std::string_view category = categoryOf(stage, kernel || !launch.empty());
    const bool isWork = category == "kernel" || category.starts_with("gpu_mem");
    const std::string device = arguments.try_emplace("device", std::to_string(gpu)).first->second;
    const std::string stream
        = arguments
              .try_emplace("stream", streamOf(queue.substr(std::min<std::size_t>(queue.size(), 1))))
              .first->second;
    if (isWork && id != 0)
        arguments.try_emplace("correlation", std::to_string(id));
    // The same for all, or the product of others.
    for (const char* key : {"arch", "process_id", "process_name", "thread_count"})
        arguments.erase(key);
    m_members.clear();
    for (const auto& [key, json] : arguments)
        m_members.add(key, json);
    std::string_view name = own;
    for (const std::string_view other :
        {toldText(sequence, Told::Names, nameNumber), toldText(sequence, Told::Kernels, kernel),
            stage.substr(std::min<std::size_t>(stage.size(), 1)), std::string_view("?")})
        name = name.empty() ? other : name;
    constexpr std::int64_t kLongest = std::int64_t{1} << 61;
    duration = std::clamp<std::int64_t>(duration, 0, kLongest);
    m_writer.write({'X', category, name, device, stream, *packet.ns, duration, &m_members});
    const auto [edge, end] = m_waits.endsAt(id);
    for (auto at = edge; at != end; ++at) {
        // Kineto's numbers of such arrows.
        constexpr std::int64_t kFirst = std::int64_t{1} << 40;
        const bool isWaiting = at->second.isWaiting;
        m_writer.write({isWaiting ? 'f' : 's', "ac2g", "ac2g", device, stream,
            *packet.ns + (isWaiting ? 0 : duration), {}, nullptr,
            std::to_string(kFirst + at->second.edge)});
    }
}

GpuStages::Counters& GpuStages::countersOf(const Packet& packet) {
    std::string_view description;
    std::uint64_t number = 0;
    std::int64_t gpu = 0;
    readFields(packet.counters, {{1, &description}, {3, &gpu}, {4, &number}});
    const auto key = number != 0 ? std::pair(packet.sequence->id, number)
                                 : std::pair(~std::uint64_t{0}, static_cast<std::uint64_t>(gpu));
    constexpr std::size_t kMostDescriptions = 10'000;
    if (m_counters.size() >= kMostDescriptions && !m_counters.contains(key))
        return m_counters.begin()->second;
    Counters& counters = m_counters[key];
    counters.gpu = number == 0 ? gpu : counters.gpu;
    const std::string* const told
        = number == 0 ? nullptr : packet.sequence->text(Told::Counters, number);
    // The number of a description is its first field; another one is the GPU's.
    if (told != nullptr && counters.names.empty())
        eachField(*told, [&](const MessageField& field) {
            if (field.isBytes)
                description = field.bytes;
            else if (field.number != 1)
                counters.gpu = static_cast<std::int32_t>(field.value);
        });
    std::vector<std::string_view> specifications;
    readFields(description, {{1, &specifications}});
    for (const std::string_view one : specifications) {
        std::uint64_t id = 0;
        std::string_view name;
        readFields(one, {{1, &id}, {2, &name}});
        counters.names[id] = name;
    }
    return counters;
}

void GpuStages::addCounters(const Packet& packet) {
    const Counters& counters = countersOf(packet);
    const std::string process = inQuotes("GPU " + std::to_string(counters.gpu) + " Counters");
    std::vector<std::string_view> samples;
    readFields(packet.counters, {{2, &samples}});
    for (const std::string_view sample : samples) {
        std::uint64_t id = 0;
        std::optional<std::int64_t> whole;
        std::optional<double> real;
        readFields(sample, {{1, &id}, {2, &whole}, {3, &real}});
        const auto name = counters.names.find(id);
        if ((!whole && !real) || name == counters.names.end())
            continue;
        m_members.clear();
        m_members.add("", whole ? std::to_string(*whole) : realJson(*real));
        m_writer.write({'C', {}, name->second, process, {}, *packet.ns, {}, &m_members});
    }
}

} // namespace trainscope::importers::perfetto
