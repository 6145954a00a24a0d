#pragma once
// The shape of the language models that people train: decoder-only transformers, dense or with a
// mixture of experts. Source of the numbers: resources/models.json; users add their own in
// models.json of the configuration folder.

#include "core/model/Result.h"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace trainscope::catalogue {

struct TrainingModel {
    std::string name;
    std::vector<std::string> match; // letters and digits in lower case; see the table
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0; // the heads, where the source states none
    int headSize = 0; // hidden / heads, where the source states none
    int ffn = 0; // width in one expert; 4 × hidden, where the source states none
    bool gatedMlp = false; // three matrices instead of two
    bool rmsNorm = false; // instead of layer norms; models with a gated MLP have it anyway
    bool rotary = false; // positions turned into queries and keys; with a gated MLP they are anyway
    int vocabulary = 0;
    bool tiedEmbeddings = false;
    bool parallelResidual = false; // attention and feed-forward beside each other, added once
    int experts = 1;
    int expertsPerToken = 1;
    int sharedExperts = 0; // every token passes these beside its own
    int denseLayers = 0; // the first ones, without experts
    int denseFfn = 0; // width in the dense layers
    int window = 0; // tokens that every second layer looks back at; 0: all do at everything
    int queryRank = 0; // latent attention (DeepSeek-V2): queries, and keys with values, pass
    int keyValueRank = 0; // through these widths; 0: as usual
    int ropeHeadSize = 0; // part of headSize that carries positions
    int valueHeadSize = 0; // headSize, where the source states none
    int nextTokenLayers = 0; // more layers, each with a loss of its own (multi-token prediction)
    std::string source; // paper or configuration with these numbers

    [[nodiscard]] bool hasLatentAttention() const { return keyValueRank > 0; }
    [[nodiscard]] bool hasRotary() const { return rotary || gatedMlp; }
    bool operator==(const TrainingModel&) const = default;
};

// The built-in models, special forms before general ones.
const std::vector<TrainingModel>& builtInModels();

// A catalogue in the form of resources/models.json. Unreadable names the model and the field that
// is wrong.
Result<std::vector<TrainingModel>> parseTrainingModels(std::string_view json);

// $XDG_CONFIG_HOME/Trainscope/models.json, else ~/.config/Trainscope/models.json; empty without a
// home.
std::string userModelsPath();

struct ModelCatalogue {
    std::vector<TrainingModel> models; // the user's before the built-in ones
    std::optional<Error> problem; // a reason why the user's could not be read

    // The model of a name as people write it ("meta-llama/Meta-Llama-3-70B"); nullptr: none of
    // them.
    [[nodiscard]] const TrainingModel* byName(std::string_view name) const;
    // The first with that number of layers and hidden size, dense or not, that is `accepted`
    // where that is asked; nullptr: none of them.
    [[nodiscard]] const TrainingModel* byShape(int layers, int hidden, bool hasExperts,
        const std::function<bool(const TrainingModel&)>& accepted = {}) const;
};

// With the user's file as it is now; parsed once for each text that it has had. Lives as long as
// the program. Any thread.
const ModelCatalogue& modelCatalogue();

} // namespace trainscope::catalogue
