/**
 * Flags that leave the browser's traffic no way but the proxy of a page. Names resolve nowhere, addresses of this
 * machine go to the proxy too, and neither QUIC nor WebRTC opens a socket of its own.
 */
export const NETWORK_FLAGS = [
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
] as const
