"""Engine: the work of a stage as independent jobs, spread over the cores of this machine."""
