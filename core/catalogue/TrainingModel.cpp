#include "core/catalogue/TrainingModel.h"

#include "core/catalogue/Tables.h"
#include "core/model/AsciiText.h"
#include "core/model/TextOfFile.h"
#include "core/model/Try.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

namespace trainscope::catalogue {

namespace {

using Json = nlohmann::json;

constexpr int kMaxSize = 1 << 30;
constexpr std::array<std::string_view, 25> kKnownKeys{"name", "match", "layers", "hidden", "heads",
    "kv_heads", "head_size", "ffn", "gated_mlp", "vocabulary", "tied_embeddings",
    "parallel_residual", "rotary", "experts", "experts_per_token", "shared_experts", "dense_layers",
    "dense_ffn", "window", "query_rank", "key_value_rank", "rope_head_size", "value_head_size",
    "next_token_layers", "source"};

// Reads one entry and keeps the first thing that is wrong with it.
class EntryReader {
public:
    EntryReader(const Json& entry, std::size_t index)
        : m_entry(entry)
        , m_who("Model " + std::to_string(index + 1)) { }

    Result<TrainingModel> read() {
        if (!m_entry.is_object())
            return wrong("is no object");
        refuseUnknownKeys();
        TrainingModel model;
        model.name = text("name", true);
        m_who = m_who + " (" + model.name + ")";
        readShape(model);
        model.source = text("source", false);
        readMatches(model);
        if (m_problem.empty())
            judge(model);
        return m_problem.empty() ? Result<TrainingModel>(std::move(model)) : wrong(m_problem);
    }

private:
    void readShape(TrainingModel& model) {
        model.layers = number("layers", std::nullopt);
        model.hidden = number("hidden", std::nullopt);
        model.heads = number("heads", std::nullopt);
        model.vocabulary = number("vocabulary", std::nullopt);
        model.kvHeads = number("kv_heads", model.heads);
        model.headSize = number("head_size", model.hidden / std::max(1, model.heads));
        model.gatedMlp = flag("gated_mlp");
        model.tiedEmbeddings = flag("tied_embeddings");
        model.parallelResidual = flag("parallel_residual");
        model.rotary = flag("rotary");
        model.ffn = number("ffn", model.gatedMlp ? std::nullopt : std::optional(4 * model.hidden));
        model.experts = number("experts", 1);
        model.expertsPerToken
            = number("experts_per_token", model.experts > 1 ? std::nullopt : std::optional(1));
        model.sharedExperts = optionalNumber("shared_experts");
        model.denseLayers = optionalNumber("dense_layers");
        model.denseFfn = number("dense_ffn", model.ffn);
        model.window = optionalNumber("window");
        model.queryRank = optionalNumber("query_rank");
        model.keyValueRank = optionalNumber("key_value_rank");
        model.ropeHeadSize = number("rope_head_size", model.headSize);
        model.valueHeadSize = number("value_head_size", model.headSize);
        model.nextTokenLayers = optionalNumber("next_token_layers");
    }

    int optionalNumber(const char* key) { return m_entry.contains(key) ? number(key, 0) : 0; }

    void judge(const TrainingModel& model) {
        if (model.heads % model.kvHeads != 0)
            note("heads is no multiple of kv_heads");
        if (!m_entry.contains("head_size") && model.hidden % model.heads != 0)
            note("hidden is no multiple of heads, and head_size is not given");
        if (model.expertsPerToken > model.experts)
            note("experts_per_token is larger than experts");
        if (model.denseLayers > model.layers)
            note("dense_layers are more than layers");
        if (model.ropeHeadSize > model.headSize)
            note("rope_head_size is larger than head_size");
    }

    void refuseUnknownKeys() {
        for (const auto& item : m_entry.items()) {
            if (std::find(kKnownKeys.begin(), kKnownKeys.end(), item.key()) == kKnownKeys.end())
                note("\"" + item.key() + "\" is no field of a model");
        }
    }

    // An absent fallback makes the field one that has to be there.
    int number(const char* key, std::optional<int> fallback) {
        const auto found = m_entry.find(key);
        if (found == m_entry.end()) {
            if (!fallback)
                note(std::string("\"") + key + "\" is missing");
            return fallback.value_or(1);
        }
        const bool isWhole = found->is_number_integer() && found->get<std::int64_t>() >= 1
            && found->get<std::int64_t>() <= kMaxSize;
        if (!isWhole)
            note(std::string("\"") + key + "\" has to be a whole number above 0");
        return isWhole ? found->get<int>() : 1;
    }

    bool flag(const char* key) {
        const auto found = m_entry.find(key);
        if (found != m_entry.end() && !found->is_boolean())
            note(std::string("\"") + key + "\" has to be true or false");
        return found != m_entry.end() && found->is_boolean() && found->get<bool>();
    }

    std::string text(const char* key, bool isNeeded) {
        const auto found = m_entry.find(key);
        const bool isText = found != m_entry.end() && found->is_string();
        if ((isNeeded && !isText) || (found != m_entry.end() && !isText))
            note(std::string("\"") + key + "\" has to be a text");
        return isText ? found->get<std::string>() : std::string();
    }

    void readMatches(TrainingModel& model) {
        const auto found = m_entry.find("match");
        if (found == m_entry.end()) {
            model.match = {lettersAndDigits(model.name)};
        } else if (found->is_array()) {
            for (const Json& word : *found)
                model.match.push_back(
                    lettersAndDigits(word.is_string() ? word.get<std::string>() : std::string()));
        }
        const bool isFilled = !model.match.empty()
            && std::none_of(model.match.begin(), model.match.end(),
                [](const std::string& word) { return word.empty(); });
        if (!isFilled)
            note("\"match\" has to be a list of names with letters or digits");
    }

    void note(const std::string& problem) {
        if (m_problem.empty())
            m_problem = problem;
    }

    [[nodiscard]] Error wrong(const std::string& problem) const {
        return {ErrorCode::Unreadable, m_who + ": " + problem + ".", {}};
    }

    const Json& m_entry;
    std::string m_who;
    std::string m_problem;
};

// Absent without a file.
Result<std::optional<std::string>> userText(const std::string& path) {
    std::error_code failure;
    if (path.empty() || !std::filesystem::exists(path, failure))
        return std::optional<std::string>();
    ASSIGN_OR_RETURN(auto text, textOfFile(path));
    return std::optional(std::move(text));
}

ModelCatalogue withBuiltIn(const std::string& path, const std::optional<std::string>& text) {
    ModelCatalogue catalogue;
    if (text) {
        auto own = parseTrainingModels(*text);
        if (own.hasValue())
            catalogue.models = std::move(own).value();
        else
            catalogue.problem = Error{own.error().code, own.error().message, path};
    }
    catalogue.models.insert(catalogue.models.end(), builtInModels().begin(), builtInModels().end());
    return catalogue;
}

// Catalogues by the user's file and its text; none is given up, as somebody may hold it.
class KnownCatalogues {
public:
    const ModelCatalogue& of(const std::string& path) {
        const auto text = userText(path);
        const std::scoped_lock lock(m_mutex);
        if (!text.hasValue()) {
            const auto found = m_unreadable.try_emplace(text.error().message).first;
            found->second = withBuiltIn(path, {});
            return found->second;
        }
        const auto [found, isNew] = m_known.try_emplace({path, text.value()});
        if (isNew)
            found->second = withBuiltIn(path, text.value());
        return found->second;
    }

private:
    std::mutex m_mutex;
    std::map<std::pair<std::string, std::optional<std::string>>, ModelCatalogue> m_known;
    std::map<std::string, ModelCatalogue> m_unreadable;
};

} // namespace

Result<std::vector<TrainingModel>> parseTrainingModels(std::string_view json) {
    const Json catalogue = Json::parse(json, nullptr, false);
    const auto list = catalogue.is_object() ? catalogue.find("models") : catalogue.end();
    if (!catalogue.is_object() || list == catalogue.end() || !list->is_array())
        return Error{ErrorCode::Unreadable,
            "This is no catalogue of models: a JSON object with a list \"models\" is expected.",
            {}};
    std::vector<TrainingModel> models;
    for (std::size_t i = 0; i < list->size(); ++i) {
        ASSIGN_OR_RETURN(auto model, EntryReader((*list)[i], i).read());
        models.push_back(std::move(model));
    }
    return models;
}

const std::vector<TrainingModel>& builtInModels() {
    // The built-in text is parsed by a test; were it broken, no model would be known.
    static const std::vector<TrainingModel> models
        = parseTrainingModels(builtInModelTable()).valueOr({});
    return models;
}

std::string userModelsPath() {
    const std::filesystem::path folder = configFolder();
    return folder.empty() ? std::string() : (folder / "models.json").string();
}

const TrainingModel* ModelCatalogue::byName(std::string_view name) const {
    const std::string plain = lettersAndDigits(name);
    for (const TrainingModel& model : models) {
        const bool isIt = std::any_of(model.match.begin(), model.match.end(),
            [&plain](const std::string& word) { return plain.find(word) != std::string::npos; });
        if (isIt)
            return &model;
    }
    return nullptr;
}

const TrainingModel* ModelCatalogue::byShape(int layers, int hidden, bool hasExperts,
    const std::function<bool(const TrainingModel&)>& accepted) const {
    const auto found = std::find_if(models.begin(), models.end(), [&](const TrainingModel& model) {
        return model.layers == layers && model.hidden == hidden && (model.experts > 1) == hasExperts
            && (!accepted || accepted(model));
    });
    return found == models.end() ? nullptr : &*found;
}

const ModelCatalogue& modelCatalogue() {
    static KnownCatalogues known;
    return known.of(userModelsPath());
}

} // namespace trainscope::catalogue
