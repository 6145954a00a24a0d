#include "importers/record/AmdApi.h"

namespace trainscope::record::amd {

namespace {

template <typename Function>
void load(const DynamicLibrary& library, Function& function, const char* name) {
    function = library.function<Function>(name);
}

} // namespace

Functions::Functions(const DynamicLibrary& library) {
    load(library, init, "amdsmi_init");
    load(library, shutDown, "amdsmi_shut_down");
    load(library, sockets, "amdsmi_get_socket_handles");
    load(library, processors, "amdsmi_get_processor_handles");
    load(library, uuid, "amdsmi_get_gpu_device_uuid");
    load(library, address, "amdsmi_get_gpu_device_bdf");
    load(library, asic, "amdsmi_get_gpu_asic_info");
    load(library, driver, "amdsmi_get_gpu_driver_info");
    load(library, power, "amdsmi_get_power_info");
    load(library, powerCap, "amdsmi_get_power_cap_info");
    load(library, energy, "amdsmi_get_energy_count");
    load(library, temperature, "amdsmi_get_temp_metric");
    load(library, clock, "amdsmi_get_clock_info");
    load(library, activity, "amdsmi_get_gpu_activity");
    load(library, memoryUsed, "amdsmi_get_gpu_memory_usage");
    load(library, memoryTotal, "amdsmi_get_gpu_memory_total");
    load(library, fan, "amdsmi_get_gpu_fan_speed");
    load(library, ecc, "amdsmi_get_gpu_total_ecc_count");
    load(library, pcie, "amdsmi_get_pcie_info");
    load(library, metrics, "amdsmi_get_gpu_metrics_info");
    load(library, link, "amdsmi_topo_get_link_type");
}

} // namespace trainscope::record::amd
