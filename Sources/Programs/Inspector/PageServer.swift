#if Inspector
import FlyingFox
import FlyingSocks
import Foundation

/// Serves the page, and lets its WebSocket through to the door, on a port of this machine.
struct PageServer {
  private let files = PageFiles()
  private let sockets: WebSocketHTTPHandler
  /// The authorities by which the page may be asked for: another name that leads here is a rebinding.
  private let hosts: Set<String>

  init(relay: Relay, port: UInt16) {
    sockets = WebSocketHTTPHandler(handler: relay)
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  /// The headers of each response. The policy has no exception: nothing inline, nothing from elsewhere.
  private static let headers: [HTTPHeader: String] = [
    HTTPHeader("Content-Security-Policy"):
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    HTTPHeader("X-Content-Type-Options"): "nosniff",
    HTTPHeader("Referrer-Policy"): "no-referrer",
    HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
    HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
    HTTPHeader("Cross-Origin-Embedder-Policy"): "require-corp",
    HTTPHeader("Cache-Control"): "no-store",
  ]

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let host = request.headers[.host], hosts.contains(host.lowercased()) else {
      return refusal(.forbidden, "this page has another name\n")
    }
    if request.path == "/door" {
      // Browsers name the origin of whoever opens a WebSocket, and let no page change it.
      guard request.headers[HTTPHeader("Origin")]?.lowercased() == "http://\(host.lowercased())" else {
        return refusal(.forbidden, "a page of another origin may not speak to this store\n")
      }
      return try await sockets.handleRequest(request)
    }
    guard request.method == .GET || request.method == .HEAD else {
      return refusal(.methodNotAllowed, "only GET\n")
    }
    guard let file = files[request.path] else { return refusal(.notFound, "no such file\n") }
    return response(.ok, file.type, request.method == .HEAD ? Data() : file.body)
  }

  private func refusal(_ status: HTTPStatusCode, _ reason: String) -> HTTPResponse {
    response(status, "text/plain; charset=utf-8", Data(reason.utf8))
  }

  private func response(_ status: HTTPStatusCode, _ type: String, _ body: Data) -> HTTPResponse {
    var headers = HTTPHeaders(Self.headers)
    headers[.contentType] = type
    return HTTPResponse(statusCode: status, headers: headers, body: body)
  }
}
#endif
