#include "core/predict/profile/Profile.h"

#include "core/catalogue/GpuModel.h"
#include "core/model/AsciiText.h"
#include "core/model/JsonDepth.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <cmath>

namespace trainscope::predict {

namespace {

bool isWordCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

bool hasWord(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        const bool startsOne = at == 0 || !isWordCharacter(text[at - 1]);
        const bool endsOne = end == text.size() || !isWordCharacter(text[end]);
        if (startsOne && endsOne)
            return true;
    }
    return false;
}

std::string catalogueName(std::string_view deviceName) {
    const catalogue::GpuModel* model = catalogue::findGpuModel(deviceName);
    return model == nullptr ? std::string(deviceName) : model->name;
}

using OrderedJson = nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "trainscope_profile";

// Four decimals of a microsecond, the sources' own.
OrderedJson microseconds(double seconds) {
    return std::isnan(seconds) ? OrderedJson() : OrderedJson(std::round(seconds * 1e10) / 1e4);
}
double secondsFrom(const OrderedJson& microseconds) {
    return microseconds.is_null() ? kNotTimed : microseconds.get<double>() / 1e6;
}

void addGiven(OrderedJson& json, const char* key, const std::optional<double>& value) {
    if (value)
        json[key] = *value;
}
std::optional<double> givenIn(const OrderedJson& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() ? std::nullopt : std::optional(found->get<double>());
}

Error broken(std::string what) {
    return {ErrorCode::Unreadable, "This profile cannot be read: " + std::move(what) + ".", {}};
}

template <typename Enum>
Result<Enum> kindFrom(const std::string& name) {
    if (const auto kind = fromString<Enum>(name))
        return *kind;
    return broken("\"" + name + "\" is not a kind of operator or exchange");
}

// Columns, so that a profile of 10⁵ samples stays small. Whole sizes are written as such.
template <typename Of>
OrderedJson column(const std::vector<TimedOperator>& samples, const Of& of) {
    OrderedJson values = OrderedJson::array();
    for (const TimedOperator& sample : samples)
        values.push_back(of(sample));
    return values;
}
OrderedJson sizes(const std::vector<TimedOperator>& samples, double Operator::*size) {
    return column(samples, [size](const TimedOperator& sample) -> OrderedJson {
        const double value = sample.work.*size;
        constexpr double kMostWhole = 1e15;
        return value == std::floor(value) && value < kMostWhole
            ? OrderedJson(static_cast<std::int64_t>(value))
            : OrderedJson(value);
    });
}

OrderedJson familyJson(const SampledFamily& family) {
    const auto& samples = family.samples;
    return {{"name", family.name}, {"kind", toString(family.kind)},
        {"forward_spread", family.forwardSpread}, {"backward_spread", family.backwardSpread},
        {"batch", sizes(samples, &Operator::batch)}, {"m", sizes(samples, &Operator::m)},
        {"n", sizes(samples, &Operator::n)}, {"k", sizes(samples, &Operator::k)},
        {"forward_us", column(samples, [](const auto& one) { return microseconds(one.forward); })},
        {"backward_us",
            column(samples, [](const auto& one) { return microseconds(one.backward); })}};
}

Status readSizes(
    const OrderedJson& json, double Operator::*size, std::vector<TimedOperator>& samples) {
    if (json.size() != samples.size())
        return broken("columns of one family differ in length");
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double value = json[i].get<double>();
        if (!(value > 0.0))
            return broken("a size is not positive");
        samples[i].work.*size = value;
    }
    return {};
}

Result<SampledFamily> familyFrom(const OrderedJson& json) {
    ASSIGN_OR_RETURN(const auto kind, kindFrom<OperatorKind>(json.at("kind").get<std::string>()));
    SampledFamily family{json.at("name").get<std::string>(), kind, {},
        json.at("forward_spread").get<double>(), json.at("backward_spread").get<double>()};
    const OrderedJson& forward = json.at("forward_us");
    const OrderedJson& backward = json.at("backward_us");
    family.samples.resize(forward.size());
    for (const auto& [key, size] : {std::pair{"batch", &Operator::batch}, {"m", &Operator::m},
             {"n", &Operator::n}, {"k", &Operator::k}})
        RETURN_IF_ERROR(readSizes(json.at(key), size, family.samples));
    for (std::size_t i = 0; i < family.samples.size(); ++i) {
        TimedOperator& sample = family.samples[i];
        sample.work.kind = family.kind;
        sample.work.precision = Precision::Fp16;
        sample.forward = secondsFrom(forward[i]);
        sample.backward = secondsFrom(backward.at(i));
        if (sample.forward <= 0.0 || sample.backward <= 0.0)
            return broken("a time is not positive");
    }
    return family;
}

OrderedJson gpuJson(const GpuProfile& gpu) {
    OrderedJson json{{"gpu", gpu.gpu}, {"source_name", gpu.sourceName},
        {"peak_flops", gpu.peakFlops}, {"memory_bandwidth", gpu.memoryBandwidth},
        {"stack",
            {{"scores_extra_bytes", gpu.stack.scoresExtraBytes}, {"gap_s", gpu.stack.gapSeconds},
                {"jitter", gpu.stack.jitter}, {"origin", gpu.stack.origin}}},
        {"families", OrderedJson::array()}};
    for (const SampledFamily& family : gpu.families)
        json["families"].push_back(familyJson(family));
    return json;
}

Result<GpuProfile> gpuFrom(const OrderedJson& json) {
    GpuProfile gpu{json.at("gpu").get<std::string>(), json.at("source_name").get<std::string>(),
        json.at("peak_flops").get<double>(), json.at("memory_bandwidth").get<double>(), {}, {}};
    const OrderedJson& stack = json.at("stack");
    gpu.stack = {stack.at("scores_extra_bytes").get<double>(), stack.at("gap_s").get<double>(),
        stack.at("jitter").get<double>(), stack.at("origin").get<std::string>()};
    for (const OrderedJson& one : json.at("families")) {
        ASSIGN_OR_RETURN(auto family, familyFrom(one));
        gpu.families.push_back(std::move(family));
    }
    return gpu;
}

OrderedJson fabricJson(const FabricProfile& fabric) {
    OrderedJson json{
        {"fabric", fabric.name}, {"gpu", fabric.gpu}, {"curves", OrderedJson::array()}};
    for (const CollectiveCurve& curve : fabric.curves)
        json["curves"].push_back({{"kind", toString(curve.kind)}, {"nodes", curve.nodes},
            {"gpus_per_node", curve.gpusPerNode}, {"spread", curve.spread}, {"bytes", curve.bytes},
            {"seconds_per_byte", curve.secondsPerByte}});
    return json;
}

Result<FabricProfile> fabricFrom(const OrderedJson& json) {
    FabricProfile fabric{
        json.at("fabric").get<std::string>(), json.at("gpu").get<std::string>(), {}};
    for (const OrderedJson& one : json.at("curves")) {
        const auto name = one.at("kind").get<std::string>();
        const bool isSend = name == "send_receive"; // its name before
        ASSIGN_OR_RETURN(const auto kind, kindFrom<CollectiveKind>(isSend ? "send_recv" : name));
        CollectiveCurve curve{kind, one.at("nodes").get<int>(), one.at("gpus_per_node").get<int>(),
            one.at("bytes").get<std::vector<double>>(),
            one.at("seconds_per_byte").get<std::vector<double>>(), one.at("spread").get<double>()};
        if (curve.bytes.empty() || curve.bytes.size() != curve.secondsPerByte.size()
            || !std::is_sorted(curve.bytes.begin(), curve.bytes.end()))
            return broken("a curve has no points in ascending order");
        fabric.curves.push_back(std::move(curve));
    }
    return fabric;
}

OrderedJson rowJson(const ProfiledRow& row) {
    OrderedJson json{{"gpu", row.gpu}};
    if (!row.fabric.empty())
        json["fabric"] = row.fabric;
    json["name"] = row.name;
    json["samples"] = row.samples;
    json["left_out"] = row.leftOut;
    addGiven(json, "forward_error", row.forwardError);
    addGiven(json, "backward_error", row.backwardError);
    addGiven(json, "stated_forward_error", row.statedForward);
    addGiven(json, "stated_backward_error", row.statedBackward);
    addGiven(json, "clock_hz", row.clockHz);
    addGiven(json, "power_w", row.powerW);
    if (!row.notes.empty())
        json["notes"] = row.notes;
    return json;
}

ProfiledRow rowFrom(const OrderedJson& json) {
    return {json.at("gpu").get<std::string>(), json.value("fabric", std::string()),
        json.at("name").get<std::string>(), json.at("samples").get<std::size_t>(),
        json.at("left_out").get<std::size_t>(), givenIn(json, "forward_error"),
        givenIn(json, "backward_error"), givenIn(json, "stated_forward_error"),
        givenIn(json, "stated_backward_error"), json.value("notes", std::vector<std::string>()),
        givenIn(json, "clock_hz"), givenIn(json, "power_w")};
}

Result<Profile> profileFrom(const OrderedJson& json) {
    Profile profile;
    profile.source = json.at("source").get<std::string>();
    for (const OrderedJson& one : json.at("gpus")) {
        ASSIGN_OR_RETURN(auto gpu, gpuFrom(one));
        profile.gpus.push_back(std::move(gpu));
    }
    for (const OrderedJson& one : json.at("fabrics")) {
        ASSIGN_OR_RETURN(auto fabric, fabricFrom(one));
        profile.fabrics.push_back(std::move(fabric));
    }
    for (const OrderedJson& row : json.at("report"))
        profile.report.push_back(rowFrom(row));
    return profile;
}

Error unreadable(std::string message, const std::string& where) {
    return {ErrorCode::Unreadable, std::move(message), where};
}

} // namespace

const SampledFamily* GpuProfile::family(std::string_view name) const {
    const auto found = std::find_if(
        families.begin(), families.end(), [&](const auto& one) { return one.name == name; });
    return found == families.end() ? nullptr : &*found;
}

const GpuProfile* Profile::gpu(std::string_view deviceName) const {
    const std::string name = catalogueName(deviceName);
    const auto found
        = std::find_if(gpus.begin(), gpus.end(), [&](const auto& one) { return one.gpu == name; });
    return found == gpus.end() ? nullptr : &*found;
}

const FabricProfile* Profile::fabric(
    std::string_view gpu, const std::vector<std::string_view>& texts) const {
    const std::string name = catalogueName(gpu);
    for (const FabricProfile& one : fabrics) {
        const std::string word = lowered(one.name);
        const bool isNamed = std::any_of(texts.begin(), texts.end(),
            [&](std::string_view text) { return hasWord(lowered(text), word); });
        if (one.gpu == name && isNamed)
            return &one;
    }
    return nullptr;
}

std::string profileText(const Profile& profile) {
    OrderedJson json{{kVersionKey, kVersion}, {"source", profile.source},
        {"gpus", OrderedJson::array()}, {"fabrics", OrderedJson::array()},
        {"report", OrderedJson::array()}};
    for (const GpuProfile& gpu : profile.gpus)
        json["gpus"].push_back(gpuJson(gpu));
    for (const FabricProfile& fabric : profile.fabrics)
        json["fabrics"].push_back(fabricJson(fabric));
    for (const ProfiledRow& row : profile.report)
        json["report"].push_back(rowJson(row));
    return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace) + '\n';
}

Result<Profile> parseProfile(std::string_view text, const std::string& where) {
    OrderedJson json;
    if (!isNestedTooDeep(text))
        json = OrderedJson::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains(kVersionKey))
        return unreadable(
            "This is no profile of operators; trainscope-cli profile makes one from a folder of "
            "timings.",
            where);
    try {
        if (const int version = json.at(kVersionKey).get<int>(); version > kVersion)
            return unreadable("This profile was written by a newer Trainscope (version "
                    + std::to_string(version) + ", known: " + std::to_string(kVersion) + ").",
                where);
        auto profile = profileFrom(json);
        return profile.hasValue() ? profile : unreadable(profile.error().message, where);
    } catch (const OrderedJson::exception& problem) {
        return unreadable(broken(problem.what()).message, where);
    }
}

Result<Profile> readProfile(const std::string& path) {
    ASSIGN_OR_RETURN(const auto text, textOfFile(path));
    return parseProfile(text, path);
}

} // namespace trainscope::predict
