#include "importers/common/NodeValues.h"

#include "core/model/WholeNumber.h"

#include <fmt/format.h>

#include <numeric>

namespace trainscope::importers {

constexpr int kMostRanksOfGroup = 1 << 20;

NodeJson parsedJson(std::string_view text) {
    // Text nested deeper than any shape is damage, and would be written by recursion.
    constexpr int kDeepest = 64;
    return NodeJson::parse(
        text.begin(), text.end(),
        [](int depth, NodeJson::parse_event_t, NodeJson&) { return depth < kDeepest; }, false);
}

std::string dumpedJson(const NodeJson& json) {
    return json.dump(-1, ' ', false, NodeJson::error_handler_t::replace);
}

const NodeJson* jsonMember(const NodeJson& object, std::string_view key) {
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> jsonInteger(const NodeJson* json) {
    if (json == nullptr)
        return std::nullopt;
    if (json->is_number_unsigned()) {
        const auto value = json->get<std::uint64_t>();
        return value > static_cast<std::uint64_t>(INT64_MAX)
            ? std::nullopt
            : std::optional(static_cast<std::int64_t>(value));
    }
    if (json->is_number_integer())
        return json->get<std::int64_t>();
    if (json->is_number_float())
        return wholeNumber<std::int64_t>(json->get<double>());
    return json->is_string() ? wholeNumber<std::int64_t>(json->get_ref<const std::string&>())
                             : std::nullopt;
}

std::vector<int> jsonRanks(const NodeJson* json) {
    const NodeJson list = json == nullptr ? NodeJson()
        : json->is_string()               ? parsedJson(json->get_ref<const std::string&>())
                                          : *json;
    std::vector<int> ranks;
    for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
        const auto rank = jsonInteger(&list[i]);
        if (!rank || *rank < 0 || *rank >= kMostRanksOfGroup)
            return {};
        ranks.push_back(static_cast<int>(*rank));
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::string jsonText(const NodeJson* json) {
    if (json == nullptr)
        return {};
    return json->is_string() ? json->get<std::string>() : std::string();
}

namespace {

constexpr std::string_view kGroupsNode = "## process_group:init ##";
constexpr std::size_t kTensorParts = 6; // tensor, storage, offset, elements, bytes each, device

bool isTensor(std::string_view type) {
    return type.starts_with("Tensor(");
}
bool isTensorList(std::string_view type) {
    return type.starts_with("GenericList[Tensor");
}

// "Tensor(c10::BFloat16)" as a Kineto trace has it: "c10::BFloat16".
std::string typeName(const std::string& type) {
    if (isTensor(type) && type.ends_with(')'))
        return type.substr(7, type.size() - 8);
    if (isTensorList(type))
        return "TensorList";
    if (type.starts_with("GenericList["))
        return "ScalarList";
    return type == "None" || type.empty() ? "" : "Scalar";
}

std::string typeAt(const NodeJson& types, std::size_t i) {
    return types.is_array() && i < types.size() ? jsonText(&types[i]) : std::string();
}

// Dimensions of tensors and lists of them; empty for other values.
NodeJson dimsOf(const NodeJson& shapes, const NodeJson& types) {
    NodeJson dims = NodeJson::array();
    for (std::size_t i = 0; shapes.is_array() && i < shapes.size(); ++i) {
        const std::string type = typeAt(types, i);
        dims.push_back(isTensor(type) || isTensorList(type) ? shapes[i] : NodeJson::array());
    }
    return dims;
}

NodeJson namesOfTypes(const NodeJson& types) {
    NodeJson names = NodeJson::array();
    for (std::size_t i = 0; types.is_array() && i < types.size(); ++i)
        names.push_back(typeName(typeAt(types, i)));
    return names;
}

// Values that are no tensor, as text; tensors are empty.
NodeJson concreteOf(const NodeJson& values, const NodeJson& types) {
    NodeJson texts = NodeJson::array();
    for (std::size_t i = 0; values.is_array() && i < values.size(); ++i) {
        const std::string type = typeAt(types, i);
        const NodeJson& value = values[i];
        if (isTensor(type) || isTensorList(type) || type == "None" || value.is_null())
            texts.push_back("");
        else
            texts.push_back(value.is_string() ? value.get<std::string>() : dumpedJson(value));
    }
    return texts;
}

bool isTensorValue(const NodeJson& value) {
    return value.is_array() && value.size() >= kTensorParts - 1 && value.size() <= kTensorParts + 1
        && std::all_of(value.begin(), value.begin() + 5,
            [](const NodeJson& part) { return part.is_number_integer(); });
}

void takeTensors(
    const NodeJson& value, int depth, std::vector<TraceTensor>& tensors, NodeJson& list) {
    if (isTensorValue(value)) {
        const auto elements = jsonInteger(&value[3]).value_or(0);
        const auto each = jsonInteger(&value[4]).value_or(0);
        constexpr std::int64_t kMost = std::int64_t{1} << 40;
        const bool isSane = elements >= 0 && elements < kMost && each >= 0 && each <= 64;
        tensors.push_back({jsonInteger(&value[0]).value_or(-1), jsonInteger(&value[1]).value_or(-1),
            isSane ? elements * each : 0});
        list.push_back(value);
        return;
    }
    if (!value.is_array() || depth > 3)
        return;
    for (const NodeJson& one : value)
        takeTensors(one, depth + 1, tensors, list);
}

void addDetail(TraceNode& node, const char* key, const NodeJson& value) {
    if (value.is_array() && !value.empty())
        node.detail.emplace_back(key, dumpedJson(value));
}

void takeSides(const NodeSides& sides, TraceNode& node) {
    addDetail(node, "Input Dims", dimsOf(sides.inputShapes, sides.inputTypes));
    addDetail(node, "Input type", namesOfTypes(sides.inputTypes));
    addDetail(node, "Input Strides", sides.inputStrides);
    addDetail(node, "Concrete Inputs", concreteOf(sides.inputs, sides.inputTypes));
    addDetail(node, "Output Dims", dimsOf(sides.outputShapes, sides.outputTypes));
    addDetail(node, "Output type", namesOfTypes(sides.outputTypes));
    NodeJson in = NodeJson::array();
    NodeJson out = NodeJson::array();
    takeTensors(sides.inputs, 0, node.tensors, in);
    takeTensors(sides.outputs, 0, node.tensors, out);
    addDetail(node, "Input Tensors", in);
    addDetail(node, "Output Tensors", out);
}

// [{"pg_name": "11", "pg_desc": "undefined", "ranks": [], "group_size": 2}…]; no ranks: all.
void takeGroups(const NodeJson& values, ExecutionTraceHeader& header) {
    const NodeJson* first = values.is_array() && !values.empty() ? &values[0] : nullptr;
    const NodeJson groups = first != nullptr && first->is_string()
        ? parsedJson(first->get_ref<const std::string&>())
        : NodeJson();
    if (!groups.is_array())
        return;
    for (const NodeJson& one : groups) {
        const auto size = jsonInteger(jsonMember(one, "group_size")).value_or(0);
        if (size > 0 && size < kMostRanksOfGroup && jsonText(jsonMember(one, "pg_name")) == "0")
            header.worldSize = static_cast<int>(size);
    }
    for (const NodeJson& one : groups) {
        layout::ProcessGroup group{jsonText(jsonMember(one, "pg_name")),
            jsonText(jsonMember(one, "pg_desc")), jsonRanks(jsonMember(one, "ranks"))};
        const auto size = jsonInteger(jsonMember(one, "group_size")).value_or(0);
        if (group.ranks.empty() && size == header.worldSize) {
            group.ranks.resize(static_cast<std::size_t>(header.worldSize));
            std::iota(group.ranks.begin(), group.ranks.end(), 0);
        }
        if (group.ranks.size() == 1 && header.worldSize > 1)
            header.rank = group.ranks.front();
        if (!group.ranks.empty())
            header.groups.push_back(std::move(group));
    }
}

std::string collectiveOf(std::int64_t type) {
    static constexpr std::array<std::string_view, 10> kNames{"all_reduce", "reduce", "all_gather",
        "gather", "scatter", "broadcast", "all_to_all", "reduce_scatter", "reduce_scatter_block",
        "barrier"};
    return type >= 0 && type < static_cast<std::int64_t>(kNames.size())
        ? std::string(kNames[static_cast<std::size_t>(type)])
        : fmt::format("collective {}", type);
}

// Bytes of an element by the name that a collective gives its type.
std::int64_t bytesOfType(const std::string& type) {
    static constexpr std::array<std::pair<std::string_view, int>, 14> kTypes{
        {{"BFloat16", 2}, {"Half", 2}, {"Float", 4}, {"Double", 8}, {"Byte", 1}, {"Char", 1},
            {"Bool", 1}, {"Short", 2}, {"Int", 4}, {"Long", 8}, {"Float8_e4m3fn", 1},
            {"Float8_e5m2", 1}, {"float", 4}, {"c10::BFloat16", 2}}};
    const auto found = std::find_if(
        kTypes.begin(), kTypes.end(), [&type](const auto& known) { return known.first == type; });
    return found == kTypes.end() ? 0 : found->second;
}

} // namespace

void NodeAttributes::take(const std::string& name, const NodeJson& value) {
    const auto number = jsonInteger(&value);
    if (name == "rf_id" || name == "rf_id ")
        m_node.function = number.value_or(0);
    else if (name == "tid")
        m_node.thread = number.value_or(0);
    else if (name == "is_cpu_op")
        m_node.isKernel = value.is_boolean() ? !value.get<bool>() : number == 0;
    else if (name == "comm_type" && number)
        m_node.collective = collectiveOf(*number);
    else if (name == "comm_size")
        m_node.collectiveBytes = number.value_or(0);
    else if (name == "collective_name")
        m_node.collective = jsonText(&value);
    else
        takeDetail(name, value);
}

void NodeAttributes::finish() {
    if (!m_node.collective.empty())
        m_node.detail.emplace_back("Collective name", dumpedJson(NodeJson(m_node.collective)));
    if (m_node.collectiveBytes == 0 && m_elements > 0 && m_elements < (std::int64_t{1} << 48))
        m_node.collectiveBytes = m_elements * bytesOfType(m_type);
}

void NodeAttributes::takeDetail(const std::string& name, const NodeJson& value) {
    static constexpr std::array<std::pair<std::string_view, const char*>, 10> kNames{
        {{"dtype", "dtype"}, {"in_msg_nelems", "In msg nelems"},
            {"out_msg_nelems", "Out msg nelems"}, {"in_split_size", "In split size"},
            {"out_split_size", "Out split size"}, {"pg_name", "Process Group Name"},
            {"pg_id", "Process Group Name"}, {"pg_desc", "Process Group Description"},
            {"pg_size", "Group size"}, {"op_schema", "Schema"}}};
    if (name == "in_msg_nelems")
        m_elements = jsonInteger(&value).value_or(0);
    if (name == "dtype")
        m_type = jsonText(&value);
    const auto known = std::find_if(
        kNames.begin(), kNames.end(), [&name](const auto& one) { return one.first == name; });
    const bool isEmpty = value.is_string() && value.get_ref<const std::string&>().empty();
    if (known == kNames.end() || isEmpty)
        return;
    if (name == "pg_id")
        m_node.detail.emplace_back(
            known->second, dumpedJson(value.is_string() ? value : NodeJson(dumpedJson(value))));
    else
        m_node.detail.emplace_back(known->second, dumpedJson(value));
}

void takeHeaderValue(const std::string& name, const NodeJson& value, ExecutionTraceHeader& header) {
    if (name == "schema")
        header.schema = jsonText(&value);
    else if (name == "pid")
        header.process = jsonInteger(&value);
    else if (name == "time")
        header.time = jsonText(&value);
}

void finishNode(const NodeSides& sides, TraceNode& node, ExecutionTraceHeader& header) {
    if (node.name.starts_with(kGroupsNode) && header.groups.empty())
        takeGroups(sides.inputs, header);
    takeSides(sides, node);
    node.detail.emplace_back("ET id", std::to_string(node.id));
    if (node.parent >= 0)
        node.detail.emplace_back("ET parent", std::to_string(node.parent));
}

std::string jsonFromPython(std::string_view literal) {
    std::string json;
    json.reserve(literal.size());
    for (std::size_t i = 0; i < literal.size(); ++i) {
        const char c = literal[i];
        if (c == '\'' || c == '"') {
            json += '"';
            for (++i; i < literal.size() && literal[i] != c; ++i) {
                if (literal[i] == '\\' && i + 1 < literal.size()) {
                    ++i;
                    if (literal[i] != '\'')
                        json += '\\';
                    json += literal[i];
                } else if (literal[i] == '"') {
                    json += "\\\"";
                } else {
                    json += literal[i];
                }
            }
            json += '"';
            continue;
        }
        const std::string_view rest = literal.substr(i);
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kWords{
            {{"None", "null"}, {"True", "true"}, {"False", "false"}, {"inf", "null"},
                {"nan", "null"}}};
        const auto word = std::find_if(kWords.begin(), kWords.end(),
            [rest](const auto& one) { return rest.starts_with(one.first); });
        if (word == kWords.end()) {
            json += c == '(' ? '[' : c == ')' ? ']' : c;
            continue;
        }
        json += word->second;
        i += word->first.size() - 1;
    }
    return json;
}

} // namespace trainscope::importers
