// As much of the browsers' WebSocket as the client uses, over node:http, for versions of Node without one (before 22).
// Only binary messages, no fragments from the server, no extensions.
import http from 'node:http';
import {randomBytes} from 'node:crypto';

const BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

export class PlainWebSocket {
  constructor(url, protocols = []) {
    this.readyState = 0;
    this.bufferedAmount = 0;
    this.input = Buffer.alloc(0);
    this.closing = {code: 1006, reason: ''};
    const request = http.get(url.replace(/^ws/, 'http'), {headers: {
      'Connection': 'Upgrade', 'Upgrade': 'websocket', 'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
      'Sec-WebSocket-Protocol': protocols.join(', '),
    }});
    this.request = request;
    request.on('upgrade', (response, socket, head) => this.opened(response, socket, head));
    request.on('response', () => request.destroy(new Error('no WebSocket')));
    request.on('error', () => this.ended());
  }

  opened(response, socket, head) {
    this.socket = socket;
    this.protocol = response.headers['sec-websocket-protocol'] ?? '';
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.ended());
    socket.on('data', (bytes) => this.received(bytes));
    this.readyState = 1;
    this.onopen?.({});
    this.received(head);
  }

  ended() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.(this.closing);
  }

  received(bytes) {
    this.input = Buffer.concat([this.input, bytes]);
    for (;;) {
      if (this.input.length < 2) return;
      let size = this.input[1] & 127;
      let head = 2;
      if (size === 126) [head, size] = [4, this.input.length >= 4 ? this.input.readUInt16BE(2) : Infinity];
      else if (size === 127) {
        [head, size] = [10, this.input.length >= 10 ? Number(this.input.readBigUInt64BE(2)) : Infinity];
      }
      if (this.input.length < head + size) return;
      const opcode = this.input[0] & 15;
      const payload = Uint8Array.from(this.input.subarray(head, head + size));
      this.input = this.input.subarray(head + size);
      if (opcode === BINARY) this.onmessage?.({data: payload.buffer});
      else if (opcode === PING) this.frame(PONG, payload);
      else if (opcode === CLOSE) this.peerCloses(payload);
    }
  }

  peerCloses(payload) {
    const text = Buffer.from(payload);
    this.closing = {code: text.length > 1 ? text.readUInt16BE(0) : 1005,
                    reason: text.subarray(2).toString()};
    this.close(text.length > 1 ? this.closing.code : 1000);
    this.socket.end();
  }

  frame(opcode, payload) {
    const size = payload.length;
    const head = size < 126 ? Buffer.from([128 | opcode, 128 | size])
               : size < 65536 ? Buffer.from([128 | opcode, 128 | 126, size >> 8, size & 255])
               : Buffer.concat([Buffer.from([128 | opcode, 128 | 127]), Buffer.alloc(8)]);
    if (size >= 65536) head.writeBigUInt64BE(BigInt(size), 2);
    const mask = randomBytes(4);
    const masked = Buffer.from(payload);
    for (let i = 0; i < size; i++) masked[i] ^= mask[i & 3];
    this.socket.write(Buffer.concat([head, mask, masked]));
  }

  send(bytes) {
    if (this.readyState === 1) this.frame(BINARY, bytes);
  }

  close(code = 1000) {
    if (this.readyState === 0) this.request.destroy();
    else if (this.readyState === 1) {
      this.readyState = 2;
      this.frame(CLOSE, Buffer.from([code >> 8, code & 255]));
    }
  }
}
