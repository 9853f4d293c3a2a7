#include "app/commands.h"

int main(int argc, char** argv) { return wari::run_program(argc, argv); }
