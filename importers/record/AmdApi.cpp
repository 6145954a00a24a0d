#include "importers/record/AmdApi.h"

namespace trainscope::record::amd {

Functions::Functions(const DynamicLibrary& library) {
    library.load(init, "amdsmi_init");
    library.load(shutDown, "amdsmi_shut_down");
    library.load(sockets, "amdsmi_get_socket_handles");
    library.load(processors, "amdsmi_get_processor_handles");
    library.load(uuid, "amdsmi_get_gpu_device_uuid");
    library.load(address, "amdsmi_get_gpu_device_bdf");
    library.load(asic, "amdsmi_get_gpu_asic_info");
    library.load(driver, "amdsmi_get_gpu_driver_info");
    library.load(power, "amdsmi_get_power_info");
    library.load(powerCap, "amdsmi_get_power_cap_info");
    library.load(energy, "amdsmi_get_energy_count");
    library.load(temperature, "amdsmi_get_temp_metric");
    library.load(clock, "amdsmi_get_clock_info");
    library.load(activity, "amdsmi_get_gpu_activity");
    library.load(memoryUsed, "amdsmi_get_gpu_memory_usage");
    library.load(memoryTotal, "amdsmi_get_gpu_memory_total");
    library.load(fan, "amdsmi_get_gpu_fan_speed");
    library.load(ecc, "amdsmi_get_gpu_total_ecc_count");
    library.load(pcie, "amdsmi_get_pcie_info");
    library.load(metrics, "amdsmi_get_gpu_metrics_info");
    library.load(link, "amdsmi_topo_get_link_type");
}

} // namespace trainscope::record::amd
