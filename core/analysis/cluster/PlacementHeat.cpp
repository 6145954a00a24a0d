#include "core/analysis/cluster/PlacementHeat.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace trainscope::analysis {

Gradient gradientOf(const std::vector<GpuPlace>& gpus) {
    std::map<bool, RunningMean> means;
    for (const GpuPlace& gpu : gpus)
        means[gpu.isRear].add(gpu.temperatureC);
    if (means[false].count == 0 || means[true].count == 0)
        return {};
    double variance = 0.0; // of the difference of the means
    for (const bool rear : {false, true}) {
        const RunningMean& mean = means[rear];
        double squares = 0.0;
        for (const GpuPlace& gpu : gpus) {
            if (gpu.isRear == rear)
                squares += std::pow(gpu.temperatureC - mean.value(), 2);
        }
        variance += mean.count > 1 ? squares / (mean.count - 1) / mean.count : 0.0;
    }
    constexpr double kSensor = 1.0; // whole degrees
    return {
        means[true].value() - means[false].value(), std::max(kSensor, 2.0 * std::sqrt(variance))};
}

std::vector<double> temperaturesAfter(const PlacementInput& input, const Gradient& gradient,
    const std::vector<double>& work, double resistance) {
    std::vector<double> more; // watts
    RunningMean frontWatts;
    RunningMean rearWatts;
    std::map<int, RunningMean> moreInFront; // by node
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
        const GpuPlace& place = input.gpus[gpu];
        more.push_back(std::max(0.0, place.watts - input.thermal->idleWatts) * (work[gpu] - 1.0));
        (place.isRear ? rearWatts : frontWatts).add(place.watts);
        if (!place.isRear)
            moreInFront[place.node].add(more[gpu]);
    }
    double preheat = 0.0;
    if (gradient.celsius && frontWatts.value() > 0.0)
        preheat = std::max(0.0,
            (*gradient.celsius - resistance * (rearWatts.value() - frontWatts.value()))
                / frontWatts.value());
    std::vector<double> result;
    for (std::size_t gpu = 0; gpu < input.gpus.size(); ++gpu) {
        const GpuPlace& place = input.gpus[gpu];
        result.push_back(place.temperatureC + resistance * more[gpu]
            + (place.isRear ? preheat * moreInFront[place.node].value() : 0.0));
    }
    return result;
}

std::vector<double> lossesAt(const PlacementInput& input, const std::vector<double>& temperatures) {
    std::vector<double> losses;
    for (const GpuPlace& gpu : input.gpus)
        losses.push_back(gpu.lost);
    const ThermalFacts& thermal = *input.thermal;
    if (!thermal.lossPerC)
        return losses;
    const double worst = *std::max_element(losses.begin(), losses.end());
    for (std::size_t gpu = 0; gpu < losses.size(); ++gpu) {
        const double now = temperatures[gpu];
        const double was = input.gpus[gpu].temperatureC;
        const double above = std::max(0.0, now - thermal.lossFromC);
        const double change = losses[gpu] > 0.0 ? now - was : above;
        losses[gpu] = std::clamp(losses[gpu] + *thermal.lossPerC * change, 0.0, worst);
    }
    return losses;
}

void fitLoss(const std::vector<GpuPlace>& gpus, ThermalFacts& facts) {
    RunningMean temperature;
    RunningMean loss;
    double least = 1e9;
    for (const GpuPlace& gpu : gpus) {
        if (gpu.lost < kLeastLoss)
            continue;
        temperature.add(gpu.temperatureC);
        loss.add(gpu.lost);
        least = std::min(least, gpu.temperatureC);
    }
    constexpr int kFewest = 3;
    if (temperature.count < kFewest)
        return;
    double products = 0.0;
    double squares = 0.0;
    for (const GpuPlace& gpu : gpus) {
        if (gpu.lost < kLeastLoss)
            continue;
        const double x = gpu.temperatureC - temperature.value();
        products += x * (gpu.lost - loss.value());
        squares += x * x;
    }
    constexpr double kLeastSpread = 0.25; // °C², a sensor's rounding
    if (squares / temperature.count < kLeastSpread || products <= 0.0)
        return;
    facts.lossPerC = products / squares;
    facts.lossFromC = least;
}

} // namespace trainscope::analysis
