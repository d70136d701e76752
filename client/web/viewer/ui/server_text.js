// Checks the text by which a link names a server (`?server=`), and finds the words for what is wrong with it. Anybody may
// have written it, so a long text is shown in part, and a password in it is not shown.

const CHARS_MAX = 1000; // a host name has up to 253 characters; the rest is for a path
const SHOWN_MAX = 60;
const NAME_MAX = 253; // RFC 1035, section 2.3.4
const PORT_MAX = 65535;
const ALLOWED = 'Allowed are ws://HOST:PORT and wss://HOST:PORT, http:// and https:// for the same, and a path of this page’s server ' +
  'that begins with /.';

// A scheme or a slash begins it: `host:port` alone would be a path of the page's server.
const BEGINNING = /^((wss?|https?):\/\/|\.{0,2}\/)/i;
const AUTHORITY = /^(?:[a-z]+:)?\/\/([^/?#]*)/i;
const LABEL = /^[^.]{1,63}$/;
const UNSEEN = /[\s\\\p{C}]/u; // a parser removes some of them, so that the server would be another than the reader sees

function whyNoHost(text, base, host) {
  const none = `“${host.slice(0, SHOWN_MAX)}” can be neither a host’s name nor its address`;
  if (!URL.canParse(text, base)) return none;
  const {hostname} = new URL(text, base);
  if (hostname.startsWith('[')) return '';
  const labels = hostname.replace(/\.$/, '').split('.');
  return hostname.length <= NAME_MAX && labels.every((label) => LABEL.test(label)) ? '' : none;
}

function whyNot(text, base) {
  if (text.length > CHARS_MAX) return `it has ${text.length} characters, and ${CHARS_MAX} are allowed`;
  if (UNSEEN.test(text)) return 'it has a space, a backslash or a character that cannot be seen';
  if (!BEGINNING.test(text)) return 'it must begin with ws://, wss://, http://, https:// or /';
  const authority = AUTHORITY.exec(text)?.[1];
  if (authority === undefined) return '';
  if (authority.includes('@')) return 'it must not name a user or a password. A token is entered in the page';
  const [, host, port] = /^(\[[^\]]*\]|[^:]*):?(.*)$/.exec(authority);
  if (host === '') return 'it names no host';
  if (port !== '' && !(/^\d{1,5}$/.test(port) && port >= 1 && port <= PORT_MAX)) {
    return `its port is “${port.slice(0, SHOWN_MAX)}”, and a port is a number from 1 to ${PORT_MAX}`;
  }
  return whyNoHost(text, base, host);
}

/** A stranger's text for the visitor: its beginning, without what cannot be seen and without a password. */
export function shown(text) {
  const plain = text.replace(/\/\/.*@/s, '//…@').replace(/[\p{C}\p{Z}]/gu, ' ');
  return plain.length > SHOWN_MAX ? `${plain.slice(0, SHOWN_MAX)}…` : plain;
}

/** A sentence for the visitor about what is wrong, what is allowed and where; '' for a good address. */
export function reasonAgainst(text, base) {
  const why = whyNot(text, base);
  return why && `“${shown(text)}” is no server: ${why}. It stands behind ?server= in the address of this page. ${ALLOWED}`;
}
