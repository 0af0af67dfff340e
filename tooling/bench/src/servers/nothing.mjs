// Bare Node: the least that any program takes to start and end.
export {};
