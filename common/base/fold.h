// Mixes rows of words into one word: the base of the state hash.
//
// A row of words is taken two at a time (a pair of 64 bits). Each half of a pair is combined with a
// key of its own and its two 32-bit parts are multiplied; the products are added up, and each half
// is added to the other half's sum, so that a factor of zero loses nothing. That is the inner loop
// of XXH3 (Y. Collet 2019), in vectors of 128 bits, which every processor has. At the end of the
// row the two sums are multiplied to 128 bits, whose halves are folded onto each other (as in
// wyhash, Wang Yi 2019): so every word of the row affects the result. Rows are then added up in any
// order. The hash detects accidents, not forgery.
#ifndef CAROM_COMMON_BASE_FOLD_H
#define CAROM_COMMON_BASE_FOLD_H

#include <stdint.h>
#include <string.h>

// 32-bit processors cannot read 64 bits of a vector at once
#if defined(__SSE2__) && defined(__x86_64__)
#define FOLD_SSE2
#include <emmintrin.h>
#endif

enum { FOLD_PAIRS = 20 }; // most pairs in a row

// The first numbers of splitmix64 (Steele et al. 2014), seeded with 0.
static const uint64_t FOLD_KEY[2 * FOLD_PAIRS] = {
    0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC,
    0x1B39896A51A8749B, 0x53CB9F0C747EA2EA, 0x2C829ABE1F4532E1, 0xC584133AC916AB3C,
    0x3EE5789041C98AC3, 0xF3B8488C368CB0A6, 0x657EECDD3CB13D09, 0xC2D326E0055BDEF6,
    0x8621A03FE0BBDB7B, 0x8E1F7555983AA92F, 0xB54E0F1600CC4D19, 0x84BB3F97971D80AB,
    0x7D29825C75521255, 0xC3CF17102B7F7F86, 0x3466E9A083914F64, 0xD81A8D2B5A4485AC,
    0xDB01602B100B9ED7, 0xA9038A921825F10D, 0xEDF5F1D90DCA2F6A, 0x54496AD67BD2634C,
    0xDD7C01D4F5407269, 0x935E82F1DB4C4F7B, 0x69B82EBC92233300, 0x40D29EB57DE1D510,
    0xA2F09DABB45C6316, 0xEE521D7A0F4D3872, 0xF16952EE72F3454F, 0x377D35DEA8E40225,
    0x0C7DE8064963BAB0, 0x05582D37111AC529, 0xD254741F599DC6F7, 0x69630F7593D108C3,
    0x417EF96181DAA383, 0x3C3C41A3B43343A1, 0x6E19905DCBE531DF, 0x4FA9FA7324851729};

// Folds the halves of a 128-bit product by exclusive or, without a 128-bit type.
static inline uint64_t fold_product_by_halves(uint64_t a, uint64_t b)
{
    const uint64_t low = 0xFFFFFFFF;
    uint64_t ll = (a & low) * (b & low);
    uint64_t lh = (a & low) * (b >> 32);
    uint64_t hl = (a >> 32) * (b & low);
    uint64_t hh = (a >> 32) * (b >> 32);
    uint64_t middle = (ll >> 32) + (lh & low) + (hl & low);
    uint64_t upper = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
    return upper ^ (middle << 32 | (ll & low));
}

static inline uint64_t fold_product(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 product;
    product p = (product)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
#else
    return fold_product_by_halves(a, b);
#endif
}

// ---- pairs of words. Of two floats in a word the first is the low half; minus zero counts as
// zero, which adding zero makes of it.

#ifdef FOLD_SSE2

typedef __m128i fold_words;

static inline fold_words fold_of_words(uint64_t a, uint64_t b)
{
    return _mm_set_epi64x((long long)b, (long long)a);
}

static inline fold_words fold_of_4_floats(float a, float b, float c, float d)
{
    return _mm_castps_si128(_mm_add_ps(_mm_setr_ps(a, b, c, d), _mm_setzero_ps()));
}

static inline fold_words fold_of_2_doubles(double a, double b)
{
    return _mm_castpd_si128(_mm_add_pd(_mm_setr_pd(a, b), _mm_setzero_pd()));
}

// The sum of a row with one more pair, its `i`-th.
static inline fold_words fold_add(fold_words sum, int i, fold_words x)
{
    __m128i y = _mm_xor_si128(x, _mm_loadu_si128((const __m128i *)(const void *)&FOLD_KEY[2 * i]));
    sum = _mm_add_epi64(sum, _mm_mul_epu32(y, _mm_srli_epi64(y, 32)));
    return _mm_add_epi64(sum, _mm_shuffle_epi32(x, _MM_SHUFFLE(1, 0, 3, 2)));
}

static inline uint64_t fold_low(fold_words sum)
{
    return (uint64_t)_mm_cvtsi128_si64(sum);
}

static inline uint64_t fold_high(fold_words sum)
{
    return (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(sum, sum));
}

#else

typedef struct fold_words {
    uint64_t low, high;
} fold_words;

static inline fold_words fold_of_words(uint64_t a, uint64_t b)
{
    return (fold_words){a, b};
}

static inline uint64_t fold_floats(float a, float b)
{
    uint32_t low;
    uint32_t high;
    a += 0.0f;
    b += 0.0f;
    memcpy(&low, &a, sizeof low);
    memcpy(&high, &b, sizeof high);
    return (uint64_t)high << 32 | low;
}

static inline fold_words fold_of_4_floats(float a, float b, float c, float d)
{
    return (fold_words){fold_floats(a, b), fold_floats(c, d)};
}

static inline fold_words fold_of_2_doubles(double a, double b)
{
    fold_words words;
    a += 0.0;
    b += 0.0;
    memcpy(&words.low, &a, sizeof a);
    memcpy(&words.high, &b, sizeof b);
    return words;
}

static inline fold_words fold_add(fold_words sum, int i, fold_words x)
{
    uint64_t low = x.low ^ FOLD_KEY[2 * i];
    uint64_t high = x.high ^ FOLD_KEY[2 * i + 1];
    return (fold_words){sum.low + (low & 0xFFFFFFFF) * (low >> 32) + x.high,
                        sum.high + (high & 0xFFFFFFFF) * (high >> 32) + x.low};
}

static inline uint64_t fold_low(fold_words sum)
{
    return sum.low;
}

static inline uint64_t fold_high(fold_words sum)
{
    return sum.high;
}

#endif

// The first pair of a row: its kind and its id or slot, which distinguish it from all others.
static inline fold_words fold_start(uint64_t kind, uint64_t a, uint64_t b)
{
    return fold_add(fold_of_words(kind, 0), 0, fold_of_words(a, b));
}

static inline uint64_t fold_end(fold_words sum)
{
    return fold_product(fold_low(sum) ^ 0x9E3779B97F4A7C15, fold_high(sum) ^ 0xD1B54A32D192ED03);
}

#endif
