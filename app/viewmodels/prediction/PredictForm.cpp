#include "app/viewmodels/prediction/PredictForm.h"

#include "app/viewmodels/text/Texts.h"

#include <cmath>

namespace trainscope::app {
namespace {

using predict::JobRequest;

constexpr int kMostDoubled = 1 << 29;

} // namespace

PredictForm::PredictForm(QObject* parent)
    : FormModel(parent)
    , m_catalogue(catalogue::modelCatalogue())
    , m_begun(usualRequest()) {
    take(fieldsOf(m_begun));
}

const catalogue::TrainingModel* PredictForm::modelOf(const QString& name) const {
    if (m_ownModel && QString::fromStdString(m_ownModel->name) == name)
        return &*m_ownModel;
    const auto found = std::ranges::find_if(m_catalogue.models,
        [&name](const auto& model) { return QString::fromStdString(model.name) == name; });
    return found == m_catalogue.models.end() ? nullptr : &*found;
}
FormFields PredictForm::fieldsOf(const JobRequest& request) const {
    QStringList models;
    if (m_ownModel)
        models.append(QString::fromStdString(m_ownModel->name));
    for (const auto& model : m_catalogue.models) {
        const QString name = QString::fromStdString(model.name);
        if (!models.contains(name))
            models.append(name);
    }
    return predictFields(request, models);
}

void PredictForm::begin(const JobRequest& request, const std::vector<predict::JobFact>& unknown) {
    m_ownModel.reset();
    if (std::ranges::find(unknown, predict::JobFact::Model) == unknown.end())
        m_ownModel = request.model;
    m_begun = request;
    ++m_beginning;
    m_lastKey = QLatin1String(field_key::kModel);
    auto fields = fieldsOf(request);
    for (const auto& field : rows()) {
        FormField* own = fieldIn(fields, field.key);
        if (own != nullptr && (isOfAgainst(field.key) || isOfTraining(field.key)))
            own->text = field.text;
    }
    for (const predict::JobFact fact : unknown)
        clearFields(fields, fact);
    if (m_ownModel && m_ownModel->experts <= 1)
        fieldAt(fields, "ep").text = QStringLiteral("1");
    take(std::move(fields));
    Q_EMIT edited();
    const auto empty = std::ranges::find_if(rows(),
        [](const FormField& field) { return field.text.isEmpty() && !field.fault.isEmpty(); });
    if (!unknown.empty() && empty != rows().end())
        Q_EMIT missed(static_cast<int>(empty - rows().begin()));
}

void PredictForm::takeLayout(const JobRequest& request) {
    auto fields = rows();
    for (const auto& field : fieldsOf(request)) {
        FormField* own = fieldIn(fields, field.key);
        if (isOfLayout(field.key) && own != nullptr)
            own->text = field.text;
    }
    m_begun.layout = request.layout;
    m_begun.model = request.model;
    m_begun.recompute = request.recompute;
    m_begun.recomputedLayers = request.recomputedLayers;
    m_lastKey = QStringLiteral("tp");
    take(std::move(fields));
    Q_EMIT edited();
}

// Another GPU comes in other nodes; the number of GPUs stays where it can.
void PredictForm::takeGpu(FormFields& fields, const QString& before) const {
    if (fieldAt(fields, field_key::kGpu).text == before)
        return;
    FormField& nodes = fieldAt(fields, field_key::kNodes);
    FormField& perNode = fieldAt(fields, field_key::kPerNode);
    const int all = nodes.text.toInt() * perNode.text.toInt();
    const int usual = predict::usualGpusPerNode(gpuOf(fields));
    if (all > 0 && all % usual == 0) {
        nodes.text = QString::number(all / usual);
        perNode.text = QString::number(usual);
    }
    for (const char* key : {field_key::kPower, field_key::kClock, field_key::kNetwork})
        fieldAt(fields, key).text.clear();
}

void PredictForm::set(const QString& key, const QString& typed) {
    auto fields = rows();
    FormField* field = fieldIn(fields, key);
    if (field == nullptr)
        return;
    const QString text = field->choices.isEmpty() ? keptNumber(typed) : typed;
    if (field->text == text)
        return;
    if (!field->choices.isEmpty() && !field->choices.contains(text))
        return;
    const QString gpu = fieldAt(fields, field_key::kGpu).text;
    const QString against = fieldAt(fields, field_key::kAgainst).text;
    field->text = text;
    if (key == QLatin1String(field_key::kWorkload))
        fields = forWorkload(std::move(fields));
    takeGpu(fields, gpu);
    fitAgainst(fields, against);
    if (!isOfAgainst(key) && !isOfTraining(key))
        m_lastKey = key;
    take(std::move(fields));
    Q_EMIT edited();
}

// Those of its workload, with what is in the fields that they share; the others begin as the form
// did.
FormFields PredictForm::forWorkload(FormFields fields) const {
    JobRequest request = m_begun;
    request.workload = workloadOf(fields);
    FormFields made = fieldsOf(request);
    for (FormField& field : made) {
        if (FormField* own = fieldIn(fields, field.key))
            field = std::move(*own);
    }
    return made;
}

void PredictForm::slide(const QString& key, double place) {
    auto fields = rows();
    const FormField* field = fieldIn(fields, key);
    if (field == nullptr || !field->isSlider())
        return;
    set(key, place >= field->high ? QString() : QString::number(std::round(place), 'g', 6));
}

void PredictForm::step(const QString& key, bool isUp) {
    auto fields = rows();
    const FormField* field = fieldIn(fields, key);
    if (field == nullptr || !field->choices.isEmpty() || field->isSlider())
        return;
    const int value = field->text.toInt();
    if (value > 0 && value <= kMostDoubled)
        set(key, QString::number(isUp ? 2 * value : std::max(1, value / 2)));
}

void PredictForm::read(FormFields& fields) {
    JobRequest request = m_begun;
    FormField& named = fieldAt(fields, field_key::kModel);
    const auto* model = modelOf(named.text);
    if (model != nullptr)
        request.model = *model;
    else
        named.fault = kChosen;
    const bool reads = readFields(fields, m_begun, request);
    const bool lacksLayoutAlone = std::ranges::none_of(fields, [](const FormField& field) {
        return !field.fault.isEmpty() && !(isOfLayout(field.key) && field.text.isEmpty());
    });
    m_request = reads && model != nullptr ? std::optional(request) : std::nullopt;
    m_sought = m_request || lacksLayoutAlone ? std::optional(request) : std::nullopt;
}

void PredictForm::take(FormFields fields) {
    for (FormField& field : fields)
        field.fault.clear();
    setSliders(fields);
    read(fields);
    m_against = againstOf(fields);
    m_training = trainingOf(fields);
    closeFields(fields, m_request);
    setRows(std::move(fields));
}

void PredictForm::showFault(const QString& fault) {
    auto fields = rows();
    FormField* last = fieldIn(fields, m_lastKey);
    if (last == nullptr)
        last = &fields.front();
    last->fault = fault;
    setRows(std::move(fields));
}

QString PredictForm::fault() const {
    const auto found = std::ranges::find_if(
        rows(), [](const FormField& field) { return !field.fault.isEmpty(); });
    return found == rows().end() ? QString() : found->fault;
}

QJsonObject PredictForm::encoded() const {
    QJsonObject saved;
    for (const FormField& field : rows())
        saved.insert(field.key, field.text);
    return saved;
}

void PredictForm::restore(const QJsonObject& saved) {
    m_ownModel.reset();
    m_begun = usualRequest();
    ++m_beginning;
    auto fields = fieldsOf(m_begun);
    FormField& workload = fieldAt(fields, field_key::kWorkload);
    const QString stated = saved.value(workload.key).toString();
    if (workload.choices.contains(stated))
        workload.text = stated;
    fields = forWorkload(std::move(fields));
    for (FormField& field : fields) {
        const auto text = saved.value(field.key);
        const bool isOne = field.choices.isEmpty() || field.choices.contains(text.toString())
            || text.toString().isEmpty();
        if (text.isString() && isOne)
            field.text = text.toString();
    }
    m_lastKey.clear();
    take(std::move(fields));
}

} // namespace trainscope::app
