import { SetupError } from '../../errors.ts'

/**
 * Starts to listen. An error of the system becomes a sentence that names the setting to change.
 * @param settings names and values of the two settings: the address, then the port
 * @throws SetupError naming the wrong setting
 */
export async function listenOrExplain<T>(
  settings: Readonly<Record<string, string | number>>,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    const [[hostName, host], [portName, port]] = Object.entries(settings)
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = LISTEN_ERRORS[code]
    const name = reason?.isPort === true ? portName : hostName
    throw new SetupError(`${name}: cannot listen on ${host} port ${port}: ${reason?.sentence ?? message}`)
  }
}

const UNKNOWN_NAME = { sentence: 'this name does not resolve. Correct it, or use an IP address.', isPort: false }
const LISTEN_ERRORS: Readonly<Record<string, { readonly sentence: string; readonly isPort: boolean }>> = {
  EADDRINUSE: { sentence: 'the port is already in use. Stop the other program, or choose another port.', isPort: true },
  EACCES: { sentence: 'this user may not listen on this port. Choose a port above 1023.', isPort: true },
  EADDRNOTAVAIL: {
    sentence: 'this machine does not have that address. Use one of its addresses, or 0.0.0.0 for all.',
    isPort: false,
  },
  EAFNOSUPPORT: {
    sentence: 'this machine has no addresses of that family (IPv4 or IPv6). Use an address of the other family.',
    isPort: false,
  },
  EINVAL: {
    sentence: 'the address is incomplete. A link-local address needs its interface, as in fe80::1%eth0.',
    isPort: false,
  },
  ENOTFOUND: UNKNOWN_NAME,
  EAI_AGAIN: UNKNOWN_NAME,
}
