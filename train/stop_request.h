#pragma once

// SIGINT and SIGTERM while a run is going: the first asks the loop to stop at its next safe point, the second ends the process at once. Files stay valid either
// way, since whatever matters is published by one rename.
namespace wari {

class StopRequest {
 public:
  StopRequest();   // installs the handlers; one object at a time
  ~StopRequest();  // puts the old ones back
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  int signal() const;  // 0: none came
  bool requested() const { return signal() != 0; }
};

}  // namespace wari
