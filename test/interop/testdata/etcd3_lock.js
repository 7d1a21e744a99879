// The lock of etcd3: etcd3_lock.js ENDPOINT NAME
"use strict";
const fs = require("node:fs");
const readline = require("node:readline");
const { setTimeout: pause } = require("node:timers/promises");
const { Etcd3, EtcdLockFailedError } = require("etcd3");

const [endpoint, name] = process.argv.slice(2);
const client = new Etcd3({ hosts: `http://${endpoint}` });
let held;

// It does not wait for a lock that is taken: whoever wants that tries again.
async function lock() {
  for (;;) {
    try {
      held = await client.lock(name).ttl(60).acquire();
      return;
    } catch (err) {
      if (!(err instanceof EtcdLockFailedError)) throw err;
      await pause(2);
    }
  }
}

const unlock = () => held.release();

// One step of the counter, in parts that another could come between.
async function step(file) {
  const text = fs.readFileSync(file, "utf8").trim();
  await pause(1);
  fs.writeFileSync(file, `${Number(text) + 1}\n`);
}

async function main() {
  console.log("ready");
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const [order, rounds, file] = line.split(" ");
    if (order === "lock") {
      await lock();
      console.log("locked");
    } else if (order === "unlock") {
      await unlock();
      console.log("unlocked");
    } else {
      for (let i = 0; i < Number(rounds); i++) {
        if (order === "race") {
          await step(file);
          continue;
        }
        await lock();
        await step(file);
        await unlock();
        await pause(5); // so that others get the lock, too
      }
      console.log("counted");
    }
  }
  client.close();
}

main();
