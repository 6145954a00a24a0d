#include "core/predict/profile/Profile.h"

#include "core/catalogue/GpuModel.h"
#include "core/model/AsciiText.h"

#include <algorithm>
#include <cctype>

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

} // namespace trainscope::predict
