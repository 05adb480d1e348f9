// Sends an event to a Grove server, and follows the outputs: node client.mjs
import net from "node:net";
import readline from "node:readline";

const [host, port] = (process.env.GROVE_SERVER ?? "127.0.0.1:7400").split(":");
const socket = net.connect(Number(port), host);
const say = (line) => socket.write(JSON.stringify(line) + "\n");

say({ op: "subscribe", id: 1, sub: "s", select: { machine: "counter", kind: ["output"] } });
say({ op: "send", id: 2, to: "counter/node", event: { type: "add", amount: 5 } });

for await (const line of readline.createInterface({ input: socket })) {
  const message = JSON.parse(line);
  if (message.error) throw new Error(`${message.error.code}: ${message.error.message}`);
  if (message.op === "ping") say({ op: "ping" }); // a heartbeat: any line answers it
  if (message.id === 2) console.log(`version ${message.v}`);
  if (message.kind === "output") {
    console.log(`${message.to} ${JSON.stringify(message.data)}`);
    socket.destroy(); // end() would only stop writing: the subscription would live on
    break;
  }
}
