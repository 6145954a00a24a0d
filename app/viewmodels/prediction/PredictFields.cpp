#include "app/viewmodels/prediction/PredictFields.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/predict/cost/Rates.h"

#include <cmath>

namespace trainscope::app {
namespace {

using layout::LayoutRequest;
using predict::JobRequest;

constexpr auto kShards = "sharding";
constexpr auto kPrecision = "precision"; // key of its option, too, as the next
constexpr auto kStack = "stack";
constexpr auto kRecompute = "recompute";
constexpr auto kVirtualStages = "vpp";
constexpr auto kGenerated = "generated";
constexpr auto kAdapters = "adapters";
constexpr auto kContextExchange = "context_exchange";
constexpr auto kGraphs = "cuda_graphs";
constexpr auto kOffload = "offload";

constexpr double kLeastPower = 0.3; // share of the GPU's own limit
constexpr double kLeastClock = 0.4; // share of its highest clock
constexpr double kGiga = 1e9;
constexpr double kMega = 1e6;

using DegreeField = FieldOf<std::optional<int> LayoutRequest::*>;
using BatchField = FieldOf<int JobRequest::*>;
using MachineField = FieldOf<int predict::ClusterRequest::*>;

constexpr std::array kMachine{
    MachineField{field_key::kNodes, "", "Nodes", "1", "", &predict::ClusterRequest::nodes},
    MachineField{
        field_key::kPerNode, "", "GPUs per node", "1", "", &predict::ClusterRequest::gpusPerNode},
};
constexpr std::array kDegrees{
    DegreeField{
        "tp", "Layout", "Tensor (TP)", "1", "GPUs that share each layer", &LayoutRequest::tensor},
    DegreeField{"pp", "", "Pipeline (PP)", "1", "Stages that the layers are divided over",
        &LayoutRequest::pipeline},
    DegreeField{"cp", "", "Context (CP)", "1", "GPUs that share the tokens of a sample",
        &LayoutRequest::context},
    DegreeField{"ep", "", "Expert (EP)", "1", "GPUs that the experts are divided over",
        &LayoutRequest::expert},
    DegreeField{kVirtualStages, "", "Virtual (VPP)", "1", "Pieces of the model that a stage has",
        &LayoutRequest::virtualStages},
};
constexpr std::array kBatches{
    BatchField{"micro_batch", "Batch", "Micro-batch", "1",
        "Samples that pass through the model at once", &JobRequest::microBatch},
    BatchField{"global_batch", "", "Global batch", "1", "Samples of a step, of all GPUs",
        &JobRequest::globalBatch},
    BatchField{"sequence", "", "Sequence", "1", "Tokens of a sample", &JobRequest::sequence},
};
constexpr BatchField kGeneratedCount{kGenerated, "", "Generated", "1",
    "Tokens of the sequence that are generated, the rest being the prompt; 0: the prompt "
    "alone",
    &JobRequest::generated};
constexpr std::array kShardings{
    "0: nothing is sharded", "1: optimizer", "2: and gradients", "3: and parameters (FSDP)"};
constexpr std::array kRecomputes{predict::Recompute::None, predict::Recompute::Selective,
    predict::Recompute::PerOperator, predict::Recompute::Full};
constexpr std::array kExchanges{predict::ContextExchange::Ring, predict::ContextExchange::AllToAll,
    predict::ContextExchange::Gather};
constexpr std::array kLaunches{"one by one", "as CUDA graphs"};
constexpr std::array kWorkloads{Workload::Training, Workload::Lora, Workload::Inference};

template <typename Values>
QStringList choicesOf(const Values& values) {
    QStringList texts;
    for (const auto value : values)
        texts.append(textOf(toString(value)));
    return texts;
}

// Suggestions of an option of a job; the present choice stays among them.
QStringList suggestionsOf(const char* option, const std::string& chosen) {
    QStringList texts;
    for (const auto& choice : figures::jobOptions().find(option)->words.choices)
        texts.append(QString::fromStdString(choice.key));
    if (const QString text = QString::fromStdString(chosen);
        !text.isEmpty() && !texts.contains(text))
        texts.append(text);
    return texts;
}

template <typename Member>
FormField fieldOf(const FieldOf<Member>& field, int value) {
    const auto words = [](const char* text) { return textOf(text); };
    return {QLatin1String(field.key), words(field.label), QString::number(value),
        QLatin1String(field.hint), words(field.tip), words(field.section)};
}

FormField choiceField(const char* key, const QString& section, const QString& label,
    QStringList choices, const QString& chosen, const QString& tip) {
    return {QLatin1String(key), label, chosen, {}, tip, section, std::move(choices)};
}

QString numberText(double value) {
    return QString::number(value, 'g', 6);
}

// Ends and words of a slider whose usual place is its upper end.
void setSlider(FormField& field, const std::optional<double>& most, double least, double scale,
    const char* unit) {
    field.high = most.value_or(0.0) / scale;
    field.low = least * field.high;
    if (!field.isSlider()) {
        field.text.clear();
        field.shown = QStringLiteral("not known of this GPU");
        return;
    }
    const double place = std::clamp(field.place(), field.low, field.high);
    if (place >= field.high)
        field.text.clear();
    else if (!field.text.isEmpty())
        field.text = numberText(place);
    const QString words = metricText({}, place * scale, unit);
    field.shown = field.text.isEmpty() ? QStringLiteral("%1, its own").arg(words) : words;
}

// A whole number above 0, or of those that may be none; a fault otherwise.
std::optional<int> countOf(FormField& field, bool mayBeNone = false) {
    bool isNumber = false;
    const int value = field.text.trimmed().toInt(&isNumber);
    if (isNumber && (value > 0 || (mayBeNone && value == 0)))
        return value;
    field.fault = field.text.isEmpty() ? QStringLiteral("Not known: a whole number above 0.")
        : mayBeNone                    ? QStringLiteral("A whole number is needed, or 0.")
                                       : QStringLiteral("A whole number above 0 is needed.");
    return std::nullopt;
}

// Absent for an empty field, which means what is usual.
std::optional<double> bandwidthOf(FormField& field) {
    if (field.text.trimmed().isEmpty())
        return std::nullopt;
    const auto value = parseTyped(field.text);
    if (value && *value > 0.0)
        return *value * kGiga;
    field.fault = QStringLiteral("A number above 0 in GB/s is needed.");
    return std::nullopt;
}

bool takeCount(FormField& field, int& into) {
    const auto count = countOf(field);
    into = count.value_or(into);
    return count.has_value();
}

template <typename Values>
auto chosenOf(const Values& values, const FormField& field) {
    return values[static_cast<std::size_t>(std::max(field.current(), 0))];
}

bool readCluster(FormFields& fields, JobRequest& request) {
    auto& cluster = request.cluster;
    cluster.gpu = gpuOf(fields);
    FormField& named = fieldAt(fields, field_key::kGpu);
    bool reads = !named.text.isEmpty();
    if (!reads)
        named.fault = kChosen;
    for (const auto& count : kMachine)
        reads = takeCount(fieldAt(fields, count.key), cluster.*count.member) && reads;
    FormField& network = fieldAt(fields, field_key::kNetwork);
    cluster.networkBandwidth = bandwidthOf(network);
    const auto placeOf = [&](const char* key, double scale) {
        const FormField& field = fieldAt(fields, key);
        return field.text.isEmpty() ? std::nullopt : std::optional(field.place() * scale);
    };
    cluster.powerLimitW = placeOf(field_key::kPower, 1.0);
    cluster.clockHz = placeOf(field_key::kClock, kMega);
    return reads && network.fault.isEmpty();
}

// Drops settings that no field tells, where the degrees are not those of the layout that the form
// began with: they would be refused, and nobody could change them.
void keepWhatFits(const JobRequest& begun, JobRequest& request) {
    layout::LayoutRequest& layout = request.layout;
    const auto stagesOf
        = [](const JobRequest& one) { return one.layout.virtualStages.value_or(1); };
    const auto piecesOf = [&](const JobRequest& one) {
        return std::int64_t{one.layout.pipeline.value_or(1)} * stagesOf(one);
    };
    if (piecesOf(request) != piecesOf(begun) || request.model.layers != begun.model.layers)
        layout.stageLayers.clear();
    if (stagesOf(request) != stagesOf(begun)) {
        layout.schedule.reset();
        layout.microbatchGroup.reset();
    }
    if (layout.expert == 1)
        layout.expertTensor.reset();
    const std::int64_t gpus = std::int64_t{request.cluster.nodes} * request.cluster.gpusPerNode;
    const std::int64_t replicas
        = gpus / (std::int64_t{layout.tensor.value_or(1)} * layout.pipeline.value_or(1));
    if (replicas % std::max(1, layout.shardSize.value_or(1)) != 0)
        layout.shardSize.reset();
}

bool readDegrees(FormFields& fields, const JobRequest& begun, JobRequest& request) {
    bool reads = true;
    for (const auto& degree : kDegrees) {
        int value = 1;
        if (FormField* field = fieldIn(fields, QLatin1String(degree.key)))
            reads = takeCount(*field, value) && reads;
        request.layout.*degree.member = value;
    }
    keepWhatFits(begun, request);
    if (const FormField* shards = fieldIn(fields, QLatin1String(kShards))) {
        request.layout.fsdp.reset();
        request.layout.zeroStage = std::max(0, shards->current());
    }
    return reads;
}

bool readBatch(FormFields& fields, JobRequest& request) {
    bool reads = true;
    for (const auto& batch : kBatches)
        reads = takeCount(fieldAt(fields, batch.key), request.*batch.member) && reads;
    const auto stated
        = predict::statedPrecisionFrom(fieldAt(fields, kPrecision).text.toStdString());
    request.precision = stated.valueOr({}).products;
    request.kept = stated.valueOr({}).kept;
    const FormField& software = fieldAt(fields, kStack);
    request.stack = software.current() > 0 ? software.text.toStdString() : std::string();
    if (const FormField* field = fieldIn(fields, QLatin1String(kRecompute))) {
        const auto recompute = chosenOf(kRecomputes, *field);
        if (recompute != request.recompute)
            request.recomputedLayers = 0;
        request.recompute = recompute;
    }
    request.execution.context = chosenOf(kExchanges, fieldAt(fields, kContextExchange));
    if (const FormField* field = fieldIn(fields, QLatin1String(kGraphs)))
        request.execution.graphs = field->current() > 0;
    if (FormField* field = fieldIn(fields, QLatin1String(kOffload))) {
        const auto offload = analysis::offloadFrom(field->text.trimmed().toStdString());
        if (!offload.hasValue())
            field->fault = QString::fromStdString(offload.error().message);
        request.offload = offload.valueOr(request.offload);
        reads = offload.hasValue() && reads;
    }
    return reads;
}

bool readWorkload(FormFields& fields, JobRequest& request) {
    request.workload = workloadOf(fields);
    bool reads = true;
    if (FormField* field = fieldIn(fields, QLatin1String(kGenerated))) {
        const auto count = countOf(*field, true);
        request.generated = count.value_or(0);
        reads = count.has_value();
    }
    if (FormField* field = fieldIn(fields, QLatin1String(kAdapters))) {
        const auto adapters = analysis::adaptersFrom(field->text.toStdString());
        if (!adapters.hasValue())
            field->fault = QString::fromStdString(adapters.error().message);
        request.adapters = adapters.valueOr(request.adapters);
        reads = adapters.hasValue();
    }
    if (reads && request.workload == Workload::Inference && request.generated >= request.sequence) {
        fieldAt(fields, kGenerated).fault = QStringLiteral(
            "Fewer than the sequence are needed, of which the rest is the prompt.");
        reads = false;
    }
    predict::keepWhatApplies(request);
    return reads;
}

void addExecutionFields(FormFields& fields, const JobRequest& request) {
    const QStringList launches{textOf(kLaunches.front()), textOf(kLaunches.back())};
    fields.push_back(choiceField(kGraphs, {}, QStringLiteral("Kernels launched"), launches,
        launches.value(request.execution.graphs ? 1 : 0),
        QStringLiteral("Graphs of kernels are launched at once, so that no GPU waits for its "
                       "host")));
    fields.push_back({QLatin1String(kOffload), QStringLiteral("Offloaded"),
        QString::fromStdString(textOf(request.offload)), QStringLiteral("nothing"),
        QStringLiteral("Kept in the host's memory: optimizer, a share of it (optimizer:0.5), "
                       "activations:N of N layers of each stage, or both with a comma between")});
}

QString keyOf(const figures::InterruptionOption& one) {
    return textOf(one.name).replace(QLatin1Char('-'), QLatin1Char('_'));
}

void addTrainingFields(FormFields& fields) {
    fields.push_back({QLatin1String(field_key::kTokens), QStringLiteral("Tokens"),
        QStringLiteral("1T"), QStringLiteral("300B"),
        QStringLiteral(
            "To train on, as in 300e9, 300B or 1.5T: days and energy of the training follow"),
        QStringLiteral("Training")});
    for (const auto& one : figures::interruptionOptions())
        fields.push_back({keyOf(one), textOf(one.title), {}, textOf(one.hint), textOf(one.tip)});
}

// Absent for an empty field.
std::optional<double> tokensOf(FormField& field) {
    const QString text = field.text.trimmed();
    if (text.isEmpty())
        return std::nullopt;
    const auto value = predict::tokensFrom(text.toStdString());
    if (value.hasValue())
        return value.value();
    field.fault = QString::fromStdString(value.error().message);
    return std::nullopt;
}

std::optional<double> interruptionOf(FormField& field, const figures::InterruptionOption& one) {
    if (field.text.trimmed().isEmpty())
        return std::nullopt;
    const bool isShare = one.read == figures::shareGiven;
    const bool mayBeNone = one.read != figures::aboveZeroGiven;
    const auto value = parseTyped(field.text);
    const bool isHigh = isShare && value && *value > 1.0;
    if (value && !isHigh && (*value > 0.0 || (mayBeNone && *value == 0.0)))
        return value;
    field.fault = isShare ? QStringLiteral("A share from 0 to 1 is needed.")
        : mayBeNone       ? QStringLiteral("A number of 0 or above is needed.")
                          : QStringLiteral("A number above 0 is needed.");
    return std::nullopt;
}

// Hosts are waited for by some software alone.
bool waitsForHost(const JobRequest& request) {
    const auto job = predict::jobOf(request);
    if (!job.hasValue())
        return true;
    const auto rates = predict::RateTable::builtIn().ratesOf(job.value());
    return !rates.hasValue() || rates.value().hostSeconds > 0.0;
}

QString noCluster() {
    return QStringLiteral("nothing");
}

} // namespace

JobRequest usualRequest() {
    JobRequest request;
    if (const auto* model = catalogue::modelCatalogue().byName("llama3-70b"))
        request.model = *model;
    request.cluster.gpu = *catalogue::findGpuModel("H100");
    request.cluster.nodes = 4;
    request.layout.tensor = 8;
    request.layout.pipeline = 4;
    request.globalBatch = 128;
    return request;
}

const catalogue::GpuModel* gpuNamed(const QString& name) {
    const auto& all = catalogue::gpuModels();
    const auto found = std::ranges::find_if(
        all, [&name](const auto& gpu) { return QString::fromStdString(gpu.name) == name; });
    return found == all.end() ? nullptr : &*found;
}

const catalogue::GpuModel& gpuOf(FormFields& fields) {
    static const catalogue::GpuModel unknown;
    const auto* gpu = gpuNamed(fieldAt(fields, field_key::kGpu).text);
    return gpu != nullptr ? *gpu : unknown;
}

void clearFields(FormFields& fields, predict::JobFact fact) {
    static const std::map<predict::JobFact, std::vector<const char*>> keys{
        {predict::JobFact::Model, {field_key::kModel}}, {predict::JobFact::Gpu, {field_key::kGpu}},
        {predict::JobFact::Gpus, {field_key::kNodes, field_key::kPerNode}},
        {predict::JobFact::Layout, {"tp", "pp", "cp", "ep"}},
        {predict::JobFact::MicroBatch, {kBatches[0].key}},
        {predict::JobFact::GlobalBatch, {kBatches[1].key}},
        {predict::JobFact::Sequence, {kBatches[2].key}}};
    for (const char* key : keys.at(fact))
        fieldAt(fields, key).text.clear();
}

Workload workloadOf(FormFields& fields) {
    return chosenOf(kWorkloads, fieldAt(fields, field_key::kWorkload));
}

void setSliders(FormFields& fields) {
    const auto& gpu = gpuOf(fields);
    setSlider(fieldAt(fields, field_key::kPower), gpu.powerLimitW, kLeastPower, 1.0, "W");
    setSlider(fieldAt(fields, field_key::kClock), gpu.boostClockHz, kLeastClock, kMega, "Hz");
}

FormFields predictFields(const JobRequest& request, const QStringList& models) {
    QStringList gpus;
    for (const auto& gpu : catalogue::gpuModels())
        gpus.append(QString::fromStdString(gpu.name));
    QStringList stages;
    for (const char* stage : kShardings)
        stages.append(textOf(stage));
    FormFields fields;
    fields.push_back(choiceField(field_key::kModel, QStringLiteral("Model"),
        QStringLiteral("Model"), models, QString::fromStdString(request.model.name),
        QStringLiteral("A model of the catalogue, or of a run")));
    fields.push_back(choiceField(field_key::kWorkload, {}, QStringLiteral("Workload"),
        choicesOf(kWorkloads), textOf(toString(request.workload)), {}));
    fields.push_back(choiceField(field_key::kGpu, QStringLiteral("Cluster"), QStringLiteral("GPU"),
        gpus, QString::fromStdString(request.cluster.gpu.name), {}));
    for (const auto& count : kMachine)
        fields.push_back(fieldOf(count, request.cluster.*count.member));
    const auto& network = request.cluster.networkBandwidth;
    fields.push_back({QLatin1String(field_key::kNetwork), QStringLiteral("Network, GB/s"),
        network ? numberText(*network / kGiga) : QString(), QStringLiteral("usual"),
        QStringLiteral(
            "Each GPU's between nodes, in each direction; empty: what is usual for the GPU")});
    const bool isInference = request.workload == Workload::Inference;
    for (const auto& degree : kDegrees) {
        if (!isInference || degree.key != kVirtualStages)
            fields.push_back(fieldOf(degree, (request.layout.*degree.member).value_or(1)));
    }
    fields.push_back(choiceField(kContextExchange, {}, QStringLiteral("Exchange of CP"),
        choicesOf(kExchanges), textOf(toString(request.execution.context)),
        QStringLiteral("The way in which GPUs of context parallelism attend to the tokens of "
                       "others")));
    const int stage
        = request.layout.zeroStage.value_or(request.layout.fsdp.value_or(false) ? 3 : 1);
    if (!isInference)
        fields.push_back(choiceField(kShards, {}, QStringLiteral("ZeRO / FSDP"), stages,
            stages.value(std::clamp(stage, 0, 3)),
            QStringLiteral("The state that data-parallel ranks divide")));
    for (const auto& batch : kBatches)
        fields.push_back(fieldOf(batch, request.*batch.member));
    if (isInference)
        fields.push_back(fieldOf(kGeneratedCount, request.generated));
    if (request.workload == Workload::Lora)
        fields.push_back({QLatin1String(kAdapters), QStringLiteral("Adapters"),
            QString::fromStdString(textOf(request.adapters)), {},
            QStringLiteral("Their rank and the matrices that have one: qkv, out, up and down, as "
                           "in 16:qkv+out, or 16:all")});
    const std::string precision
        = predict::textOf(predict::StatedPrecision{request.precision, request.kept});
    fields.push_back(choiceField(kPrecision, {}, QStringLiteral("Precision"),
        suggestionsOf(kPrecision, precision), QString::fromStdString(precision),
        QStringLiteral(
            "The type of the matrix products; pure: weights, gradients and optimizer in the "
            "same, autocast: in 32 bits, master: the optimizer alone in 32 bits")));
    QStringList software = suggestionsOf(kStack, request.stack);
    software.prepend(QStringLiteral("usual"));
    const QString chosen
        = request.stack.empty() ? software.front() : QString::fromStdString(request.stack);
    fields.push_back(choiceField(kStack, {}, QStringLiteral("Software"), std::move(software),
        chosen,
        QStringLiteral(
            "The software whose habits are taken; usual: by layout and model, plain PyTorch for a "
            "dense model on one GPU")));
    if (!isInference)
        fields.push_back(choiceField(kRecompute, {}, QStringLiteral("Recomputation"),
            choicesOf(kRecomputes), textOf(toString(request.recompute)),
            QStringLiteral("Activations done again in the backward pass")));
    if (!isInference)
        addExecutionFields(fields, request);
    if (!isInference)
        addTrainingFields(fields);
    const auto slider = [&](const char* key, const QString& section, const QString& label,
                            const std::optional<double>& value, double scale, const QString& tip) {
        fields.push_back({QLatin1String(key), label, value ? numberText(*value / scale) : QString(),
            {}, tip, section});
    };
    slider(field_key::kPower, QStringLiteral("What if"), QStringLiteral("Power limit"),
        request.cluster.powerLimitW, 1.0,
        QStringLiteral("Each GPU's; the clock gives way until it is kept"));
    slider(field_key::kClock, {}, QStringLiteral("SM clock"), request.cluster.clockHz, kMega,
        QStringLiteral("The highest that the GPUs may run at"));
    addAgainstFields(fields, gpus);
    return fields;
}

bool readFields(FormFields& fields, const JobRequest& begun, JobRequest& request) {
    bool reads = readCluster(fields, request);
    reads = readDegrees(fields, begun, request) && reads;
    reads = readBatch(fields, request) && reads;
    return readWorkload(fields, request) && reads;
}

void closeFields(FormFields& fields, const std::optional<JobRequest>& request) {
    const auto close = [&fields](const QString& key, bool isClosed, const QString& reason) {
        if (FormField* field = fieldIn(fields, key))
            field->closed = isClosed ? reason : QString();
    };
    const bool sharesTokens = !request || request->layout.context.value_or(1) > 1;
    close(QLatin1String(kContextExchange), !sharesTokens,
        QStringLiteral("A GPU has all tokens (CP 1)"));
    close(QLatin1String(kGraphs), request && !waitsForHost(*request),
        QStringLiteral("This software does not wait for its host"));
    const FormField* tokens = fieldIn(fields, QLatin1String(field_key::kTokens));
    const bool hasTokens = tokens != nullptr && !tokens->text.trimmed().isEmpty();
    for (const auto& one : figures::interruptionOptions())
        close(keyOf(one), !hasTokens, QStringLiteral("Needs tokens to train on"));
}

predict::TrainingAsked trainingOf(FormFields& fields) {
    predict::TrainingAsked asked;
    FormField* tokens = fieldIn(fields, QLatin1String(field_key::kTokens));
    if (tokens == nullptr)
        return asked;
    asked.tokens = tokensOf(*tokens);
    for (const auto& one : figures::interruptionOptions())
        asked.reliability.*one.member = interruptionOf(*fieldIn(fields, keyOf(one)), one);
    const auto checked = predict::checkTraining(asked, Workload::Training);
    if (!checked.hasValue() && tokens->fault.isEmpty())
        tokens->fault = QString::fromStdString(checked.error().message);
    return asked;
}

bool isOfTraining(const QString& key) {
    return key == QLatin1String(field_key::kTokens)
        || std::ranges::any_of(
            figures::interruptionOptions(), [&key](const auto& one) { return key == keyOf(one); });
}

bool isOfLayout(const QString& key) {
    return std::ranges::any_of(kDegrees,
               [&](const DegreeField& degree) { return key == QLatin1String(degree.key); })
        || key == QLatin1String(kShards) || key == QLatin1String(kRecompute)
        || key == QLatin1String(kBatches.front().key);
}

void addAgainstFields(FormFields& fields, const QStringList& gpus) {
    fields.push_back({QLatin1String(field_key::kAgainst), QStringLiteral("GPU"), noCluster(), {},
        QStringLiteral("A second cluster: the best layout on each is judged as scale-up and "
                       "scale-out"),
        QStringLiteral("Against"), QStringList{noCluster()} + gpus});
    fields.push_back({QLatin1String(field_key::kAgainstNodes), QStringLiteral("Nodes"),
        QStringLiteral("4"), QStringLiteral("1")});
    fields.push_back({QLatin1String(field_key::kAgainstPerNode), QStringLiteral("GPUs per node"),
        QStringLiteral("8"), QStringLiteral("1")});
}

bool isOfAgainst(const QString& key) {
    return key == QLatin1String(field_key::kAgainst)
        || key == QLatin1String(field_key::kAgainstNodes)
        || key == QLatin1String(field_key::kAgainstPerNode);
}

void fitAgainst(FormFields& fields, const QString& before) {
    const FormField& chosen = fieldAt(fields, field_key::kAgainst);
    const catalogue::GpuModel* gpu = gpuNamed(chosen.text);
    if (chosen.text == before || gpu == nullptr)
        return;
    const double all = 1.0 * fieldAt(fields, field_key::kNodes).text.toInt()
        * fieldAt(fields, field_key::kPerNode).text.toInt();
    const auto& own = gpuOf(fields);
    const double wanted
        = own.memoryBytes && gpu->memoryBytes ? all * *own.memoryBytes / *gpu->memoryBytes : all;
    const int usual = predict::usualGpusPerNode(*gpu);
    fieldAt(fields, field_key::kAgainstPerNode).text = QString::number(usual);
    fieldAt(fields, field_key::kAgainstNodes).text
        = QString::number(std::max(1.0, std::ceil(wanted / usual)), 'f', 0);
}

std::optional<predict::ClusterRequest> againstOf(FormFields& fields) {
    const auto* gpu = gpuNamed(fieldAt(fields, field_key::kAgainst).text);
    if (gpu == nullptr)
        return std::nullopt;
    const auto nodes = countOf(fieldAt(fields, field_key::kAgainstNodes));
    const auto perNode = countOf(fieldAt(fields, field_key::kAgainstPerNode));
    if (!nodes || !perNode)
        return std::nullopt;
    return predict::clusterOf(*gpu, *nodes, *perNode);
}

} // namespace trainscope::app
