// Bare Node: the minimal time of a program to start and end.
export {};
