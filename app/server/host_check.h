#pragma once

#include <string>
#include <string_view>

#include "app/server/http.h"

// Who may ask. A page of somebody else's that a browser shows on this machine must not reach the server: neither as itself (Origin), nor by a name of its own that
// it lets point here (Host; "DNS rebinding").
namespace wari {

// Is this a name of the server that a browser here may use? `host`: the header, with or without port; `listening`: what --host says.
bool is_own_host(std::string_view host, std::string_view listening);

// Throws HttpError 403 with the reason.
void check_host(const HttpRequest& request, std::string_view listening);

bool is_loopback(std::string_view host);

}  // namespace wari
